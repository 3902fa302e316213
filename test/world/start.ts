import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWorld } from './server.ts'
import { startApp, type RunningApp } from './start/app.ts'
import { everyMinute, fireCron } from './start/cron.ts'
import { fillCatalogue } from './start/fill.ts'
import { DEMO_PHONE, prepareDatabase, seedDirectory, SIGN_INS } from './start/seed.ts'
import { freePort, Problem, readSettings, requireFreePort, type Settings } from './start/settings.ts'
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

/** Removes what this program and wrangler keep there, and nothing else a mistaken STATE_DIR may hold. */
function empty(stateDir: string): void {
  for (const name of ['v3', 'local.env', 'world.json', 'catalogue-filled'])
    rmSync(join(stateDir, name), { recursive: true, force: true })
}

/** The one secret that must outlive a restart, or every session and link would die with it. */
function keepSecret(stateDir: string): string {
  const file = join(stateDir, 'local.env')
  if (!existsSync(file)) writeFileSync(file, `SECRET_KEY=${randomBytes(48).toString('base64url')}\n`, { mode: 0o600 })
  return file
}

/** The account the world's SMS provider knows: made up, and good for nothing outside. */
const TWILIO = { twilioAccountSid: 'AC00000000000000000000000000000000', twilioAuthToken: 'local-world-twilio-token' }
const SMS_FROM = '+12025550100'

function varsOf(appUrl: string, worldUrl: string): Record<string, string> {
  return {
    APP_URL: appUrl,
    SMS_API_URL: `${worldUrl}/sms`,
    TWILIO_ACCOUNT_SID: TWILIO.twilioAccountSid,
    TWILIO_AUTH_TOKEN: TWILIO.twilioAuthToken,
    SMS_FROM,
    MAIL_PROVIDER: 'resend',
    RESEND_API_URL: `${worldUrl}/mail`,
    RESEND_API_KEY: 're_local_world',
    MAIL_FROM: 'Class Cords <alerts@example.com>',
    DISCORD_API_URL: `${worldUrl}/discord/api`,
    DISCORD_OAUTH_URL: `${worldUrl}/discord/oauth2`,
    DISCORD_CDN_URL: `${worldUrl}/discord/cdn`,
    DISCORD_CLIENT_ID: 'local-world',
    DISCORD_CLIENT_SECRET: 'local-world-discord-secret',
  }
}

/** Fills the catalogue through an app nobody else can find yet. Not filling it is no reason not to start. */
async function fillUnseen(start: (port: number) => Promise<RunningApp>, doneMark: string): Promise<void> {
  console.log('Reading the schools’ catalogue (first start only) …')
  const app = await start(await freePort())
  try {
    await fillCatalogue(app.url, console.log)
    writeFileSync(doneMark, '')
  } catch (error) {
    console.error(`The catalogue is not complete: ${error instanceof Error ? error.message : String(error)}`)
    console.error('Refresh it on the Manage Courselist page, or start again.')
  } finally {
    await app.stop()
  }
}

function announce(settings: Settings, appUrl: string, worldUrl: string): void {
  console.log(`
  The app          ${appUrl}
  The local world  ${worldUrl}   phones, mailbox, schools, switches for faults

  Staff            ${appUrl}/class_tracker/
${SIGN_INS.map(({ username, password, superuser }) => `  Sign in as       ${username} / ${password}${superuser ? '  (superuser)' : ''}`).join('\n')}
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
  if (settings.fresh) empty(stateDir)
  mkdirSync(stateDir, { recursive: true })
  const envFile = keepSecret(stateDir)
  const appUrl = `http://localhost:${port}`

  const world = await startWorld({
    port: worldPort,
    appUrl,
    ...TWILIO,
    smsFrom: SMS_FROM,
    stateFile: join(stateDir, 'world.json'),
    ...(trafficMs === null ? {} : { trafficMs }),
  })
  cleanups.push(() => world.close())

  console.log('Preparing the database …')
  const { isCatalogueEmpty } = await prepareDatabase(stateDir, world.url)
  const vars = varsOf(appUrl, world.url)
  const start = (at: number): Promise<RunningApp> => startApp({ port: at, stateDir, envFile, vars, verbose })
  const doneMark = join(stateDir, 'catalogue-filled')
  if (isCatalogueEmpty || !existsSync(doneMark)) await fillUnseen(start, doneMark)
  const isNew = await seedDirectory(stateDir)

  console.log('Starting the app …')
  const app = await start(port)
  cleanups.push(
    everyMinute(app.url, (error) => {
      if (verbose) console.error('cron:', error)
    }),
  )
  // What the new directory is searched by need not wait for the minute.
  if (isNew) await fireCron(app.url).catch((error: unknown) => console.error('cron:', error))
  announce(settings, app.url, world.url)
  await app.ended
  if (!isEnding) throw new Problem('The app has ended by itself. VERBOSE=1 npm start shows all it says.')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0))
run().catch(async (error: unknown) => {
  if (!isEnding) console.error(error instanceof Problem ? error.message : error)
  await end(1)
})
