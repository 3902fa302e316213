import { spawn } from 'node:child_process'
import { isAbsolute, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readDevVars, writeDevVars } from './start/dev-vars.ts'
import { migrate } from './start/migrate.ts'
import { Problem, ROOT } from './start/settings.ts'
import { stopAllWranglers, wranglerEnvironment, wranglerProgram } from './start/wrangler.ts'

/* `npm run dev`: `wrangler dev` with its own console, a migrated local database and a development secret. Arguments
   after `--` go to wrangler, as in `npm run dev -- --port 9000`. */

const words = process.argv.slice(2)

/** Where wrangler stores its local state: `--persist-to`, otherwise its usual folder. */
function stateFolder(): string {
  const { values } = parseArgs({ args: words, options: { 'persist-to': { type: 'string' } }, strict: false })
  const named = values['persist-to']
  const folder = typeof named === 'string' ? named : '.wrangler/state'
  return isAbsolute(folder) ? folder : join(ROOT, folder)
}

/** Runs `wrangler dev` in this terminal until it ends, and returns its exit code. */
function runDev(vars: Record<string, string>): Promise<number> {
  const more = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const child = spawn(process.execPath, [wranglerProgram, 'dev', '--minify=false', ...more, ...words], {
    cwd: ROOT,
    stdio: 'inherit',
    env: wranglerEnvironment(),
  })
  // Ctrl-C reaches every program of the terminal, including wrangler; other signals reach only this one.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 0))
  })
}

async function run(): Promise<number> {
  const isNew = writeDevVars(ROOT)
  const vars = readDevVars(ROOT)
  await migrate(stateFolder())
  console.log(`
  ${isNew ? 'Wrote .dev.vars with a secret of its own; it explains what else can be set there.' : 'Settings are those of .dev.vars.'}
  The local database has all migrations. Add the first superuser in another terminal:

    npm run create-superuser -- --local

  The minute cron runs when you ask for it: npm run tick. Press Ctrl-C to stop.
  For schools, phones and Discord without any account, use npm start instead.
`)
  return runDev(vars)
}

let isEnding = false
process.on('SIGINT', () => {
  isEnding = true
  void stopAllWranglers()
})

try {
  process.exitCode = await run()
} catch (error) {
  if (!isEnding) console.error(error instanceof Problem ? error.message : error)
  process.exitCode = 1
}
