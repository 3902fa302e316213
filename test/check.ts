import { spawn } from 'node:child_process'

/** Format, lint, types and import rules: everything that can be checked without running the product. */
interface Step {
  name: string
  commands: string[][]
}

const steps: Step[] = [
  { name: 'format', commands: [['oxfmt', '--check']] },
  { name: 'lint and import rules', commands: [['oxlint']] },
  {
    name: 'types',
    commands: [
      ['node', 'client/build.ts'],
      ['wrangler', 'types', '.build/worker-configuration.d.ts', '--include-runtime=false', '--strict-vars=false'],
      ['tsc', '-b', '--pretty', '--checkers', '1'],
    ],
  },
]

export async function check(): Promise<boolean> {
  const results = await Promise.all(steps.map(runStep))
  return results.every(Boolean)
}

async function runStep(step: Step): Promise<boolean> {
  const startedAt = performance.now()
  let output = ''
  let isGood = true
  for (const [command, ...words] of step.commands) {
    if (!isGood || !command) break
    const result = await run(command, words)
    output = result.output
    isGood = result.code === 0
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${isGood ? '✓' : '✗'} ${step.name} (${seconds} s)`)
  if (!isGood) console.log(output)
  return isGood
}

function run(command: string, words: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CI: '1' },
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', (error) => resolve({ code: 1, output: `${command} could not be started: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

if (import.meta.main) process.exit((await check()) ? 0 : 1)
