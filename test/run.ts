import { spawn } from 'node:child_process'
import { check } from './check.ts'

/** `npm test`: everything, cheapest first. `--deep` (`npm run deep`) runs the property tests for long instead. */
const isDeep = process.argv.includes('--deep')
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 2 ** 31))

const steps: [string, string[]][] = [
  ['vitest', ['run', '--config', 'test/vitest.config.ts']],
  ['wrangler', ['deploy', '--dry-run', '--outdir', '.build/deploy']],
  ['vitest', ['run', '--config', 'test/browser/vitest.config.ts']],
]

function run(command: string, words: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SEED: seed,
        DEEP: isDeep ? '1' : '',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
      },
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

console.log(`seed ${seed} (SEED=${seed} runs the same again)`)
const startedAt = performance.now()
let isGood = await check()
for (const [command, words] of isDeep ? steps.slice(0, 1) : steps) {
  if (!isGood) break
  console.log(`\n${command} ${words.join(' ')}`)
  isGood = (await run(command, words)) === 0
}
console.log(`\n${isGood ? '✓ all good' : '✗ failed'} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exit(isGood ? 0 : 1)
