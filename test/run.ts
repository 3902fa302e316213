import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.ts'
import type { Part } from './part-report.ts'

/* `npm test`: everything, cheapest first, and one part after the other: beside each other they took a fifth longer.
   `--quick` (`npm run test:quick`): what needs no Worker. `--deep` (`npm run deep`): the property tests, for much longer. */
const isDeep = process.argv.includes('--deep')
const isQuick = process.argv.includes('--quick')
const seed = process.env['SEED'] ?? seedOfCommit()
const deployment = '.build/deploy'
const reports = '.build/test-reports'
const scratch = mkdtempSync(join(temporaryFolder(), 'class-cords-test-'))

/** One start of vitest, and the files of its parts: a file that no part has run fails the run. */
interface VitestRun {
  name: string
  words: string[]
  filesOf: Record<string, string>
}

const rules = { rules: 'test/**/*.rules.test.{ts,tsx}' }
const worker = { worker: 'test/**/*.worker.test.{ts,tsx}' }
const serverRun = { name: 'server', words: ['--config', 'test/vitest.config.ts'], filesOf: { ...rules, ...worker } }
const rulesRun = { name: 'rules', words: [...serverRun.words, '--project', 'rules'], filesOf: rules }
const journeysRun = {
  name: 'journeys',
  words: ['--config', 'test/browser/vitest.config.ts'],
  filesOf: { journeys: 'test/browser/*.journey.ts' },
}

/**
 * Each commit is tested with other random values, and with the same ones wherever it is tested; outside of a repository
 * each run has its own.
 */
function seedOfCommit(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' })
  return String(status === 0 ? parseInt(stdout.slice(0, 7), 16) : Math.floor(Math.random() * 2 ** 31))
}

/** In memory where Linux has room for it, because tests write a great many databases. */
function temporaryFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir()
}

interface Row {
  part: string
  files?: number
  tests?: number
  seconds: number
}

const rows: Row[] = []

function run(command: string, words: string[], more: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SEED: seed,
        TMPDIR: scratch,
        DEEP: isDeep ? '1' : '',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
        WRANGLER_LOG: 'warn',
        // Every runtime would begin by reading these certificates, and no test leaves this machine.
        NODE_EXTRA_CA_CERTS: undefined,
        ...more,
      },
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code === 0))
  })
}

/** Runs a step and measures how long it took. */
async function timed(part: string, step: () => Promise<boolean>): Promise<boolean> {
  const startedAt = performance.now()
  const isGood = await step()
  rows.push({ part, seconds: Math.round((performance.now() - startedAt) / 1000) })
  return isGood
}

/**
 * Returns whether everything passed and nothing was left out; prints what was left out, and what passed only the second
 * time.
 */
async function runVitest({ name, words, filesOf }: VitestRun): Promise<boolean> {
  const report = `${reports}/${name}.json`
  rmSync(report, { force: true })
  const reporters = ['--reporter=minimal', '--reporter=./test/part-report.ts']
  // A temporary folder of its own, so that no run can touch the files of another.
  const folder = join(scratch, name)
  mkdirSync(folder)
  const more = { PART_REPORT: report, BUILT_WORKER: deployment, TMPDIR: folder }
  const isGood = await run('vitest', ['run', ...words, ...reporters], more)
  const parts = readParts(report)
  const complaints = Object.entries(filesOf).flatMap(([part, files]) => whatIsMissing(part, files, parts))
  for (const { name: part, retried } of parts)
    for (const test of retried) console.log(`↻ ${part}: passed only when run again: ${test}`)
  for (const complaint of complaints) console.log(`✗ ${complaint}`)
  rows.push(...parts.map(({ name: part, files, tests, seconds }) => ({ part, files, tests, seconds })))
  return isGood && complaints.length === 0
}

function readParts(report: string): Part[] {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Part[]
  } catch {
    // Ended before it could report: then every part is missing.
    return []
  }
}

function whatIsMissing(name: string, files: string, parts: readonly Part[]): string[] {
  const present = globSync(files).length
  const part = parts.find((one) => one.name === name)
  if (!part || part.tests === 0) return [`${name} did not run`]
  const skipped = part.skipped.map((test) => `${name}: not run: ${test}`)
  return part.files === present ? skipped : [`${name}: only ${part.files} of ${present} files ran`, ...skipped]
}

function printTable(): void {
  const line = (part: string, ...numbers: (string | number)[]): string =>
    part.padEnd(12) + numbers.map((number) => String(number).padStart(8)).join('')
  console.log(`\n${line('part', 'files', 'tests', 'seconds')}`)
  for (const { part, files = '', tests = '', seconds } of rows) console.log(line(part, files, tests, seconds))
}

async function runAll(): Promise<boolean> {
  if (!(await timed('check', check))) return false
  if (isDeep) return run('vitest', ['run', ...serverRun.words])
  if (isQuick) return runVitest(rulesRun)
  const dryRun = () => run('wrangler', ['deploy', '--dry-run', '--outdir', deployment])
  if (!(await timed('deployment', dryRun))) return false
  const isServerGood = await runVitest(serverRun)
  return (await runVitest(journeysRun)) && isServerGood
}

console.log(`seed ${seed} (SEED=${seed} runs the same again)`)
mkdirSync(reports, { recursive: true })
const startedAt = performance.now()
process.on('SIGINT', () => process.exit(130))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const isGood = await runAll()
printTable()
console.log(`\n${isGood ? '✓ all good' : '✗ failed'} after ${Math.round((performance.now() - startedAt) / 1000)} s`)
process.exit(isGood ? 0 : 1)
