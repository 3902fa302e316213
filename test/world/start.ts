import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startWorld } from './server.ts'
import { everyMinute, fireCron } from './start/cron.ts'
import { emptyState } from './start/empty-state.ts'
import { prepare, SMS_FROM, TWILIO } from './start/prepare.ts'
import { DEMO_PHONE, SIGN_INS } from './start/seed.ts'
import { Problem, readSettings, requireFreePort, type Settings } from './start/settings.ts'
import { stopAllWranglers } from './start/wrangler.ts'

/** What to undo at the end, last first. */
const cleanups: (() => void | Promise<void>)[] = [stopAllWranglers]
let isEnding = false

async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  for (const cleanup of cleanups.toReversed()) await cleanup()
  process.exit(code)
}

function announce(settings: Settings, appUrl: string, worldUrl: string): void {
  console.log(`
  The app          ${appUrl}
  The local world  ${worldUrl}   phones, mailbox, schools, switches for faults

  Staff            ${appUrl}/class_tracker/
${SIGN_INS.map(({ username, password, superuser }) => `  Log in as        ${username} / ${password}${superuser ? '  (superuser)' : ''}`).join('\n')}
  With Discord     ${appUrl}/accounts/discord/login/   choose who you are on the page that follows

  Try it: watch a full section for Robin Example, open a seat at its school, and ${DEMO_PHONE} rings within a minute.
  State in ${settings.stateDir} (npm start -- --fresh empties it).  Press Ctrl-C to stop.
`)
}

async function run(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env)
  const { port, worldPort, stateDir, verbose, trafficMs } = settings
  await requireFreePort(port, 'PORT')
  await requireFreePort(worldPort, 'WORLD_PORT')
  if (settings.fresh) emptyState(stateDir)
  const appUrl = `http://localhost:${port}`

  mkdirSync(stateDir, { recursive: true })

  const world = await startWorld({
    port: worldPort,
    appUrl,
    ...TWILIO,
    smsFrom: SMS_FROM,
    stateFile: join(stateDir, 'world.json'),
    ...(trafficMs === null ? {} : { trafficMs }),
  })
  cleanups.push(() => world.close())

  const { start, isDirectoryNew } = await prepare({ stateDir, appUrl, worldUrl: world.url, verbose })

  console.log('Starting the app …')
  const app = await start(port)
  cleanups.push(
    everyMinute(app.url, (error) => {
      if (verbose) console.error('cron:', error)
    }),
  )
  // The new directory's search index need not wait for the minute.
  if (isDirectoryNew) await fireCron(app.url).catch((error: unknown) => console.error('cron:', error))
  announce(settings, app.url, world.url)
  await app.ended
  if (!isEnding) throw new Problem('The app has ended by itself. VERBOSE=1 npm start shows all it says.')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0))
run().catch(async (error: unknown) => {
  if (!isEnding) console.error(error instanceof Problem ? error.message : error)
  await end(1)
})
