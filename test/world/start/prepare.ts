import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { worldBindings } from '../bindings.ts'
import { startApp, type RunningApp } from './app.ts'
import { keepVapidVars } from '../push/vapid-keys.ts'
import { fillCatalogue } from './fill.ts'
import { prepareDatabase, seedDirectory } from './seed.ts'
import { freePort } from './settings.ts'

/** The account the world's SMS provider knows: made up, and good for nothing outside. */
export const TWILIO = {
  twilioAccountSid: 'AC00000000000000000000000000000000',
  twilioAuthToken: 'local-world-twilio-token',
}
export { SMS_FROM } from '../bindings.ts'

/** The one secret that must outlive a restart, or every session and link would die with it. */
function keepSecret(stateDir: string): string {
  const file = join(stateDir, 'local.env')
  if (!existsSync(file)) writeFileSync(file, `SECRET_KEY=${randomBytes(48).toString('base64url')}\n`, { mode: 0o600 })
  return file
}

/** All settings of the Worker, including its secret. */
export function bindingsOf(stateDir: string, appUrl: string, worldUrl: string): Record<string, string> {
  const [name = '', secret = ''] = readFileSync(keepSecret(stateDir), 'utf8').trim().split('=')
  return { ...varsOf(stateDir, appUrl, worldUrl), [name]: secret }
}

function varsOf(stateDir: string, appUrl: string, worldUrl: string): Record<string, string> {
  return {
    APP_URL: appUrl,
    ...worldBindings(worldUrl, TWILIO.twilioAccountSid, keepVapidVars(join(stateDir, 'vapid.json'))),
    TWILIO_AUTH_TOKEN: TWILIO.twilioAuthToken,
    RESEND_API_KEY: 're_local_world',
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

/** The local state with everything in it, and what starts the app over it. */
interface Prepared {
  /** @param port where to answer; links lead to the public address all the same */
  start(port: number): Promise<RunningApp>
  /** Whether the directory was empty: what it is searched by is still to be indexed, by the cron. */
  isDirectoryNew: boolean
}

/** Migrates, seeds and fills the state in `stateDir` where that is still to be done, beside a running world. */
export async function prepare(settings: {
  stateDir: string
  appUrl: string
  worldUrl: string
  verbose: boolean
}): Promise<Prepared> {
  const { stateDir, appUrl, worldUrl, verbose } = settings
  mkdirSync(stateDir, { recursive: true })
  const envFile = keepSecret(stateDir)
  console.log('Preparing the database …')
  const { isCatalogueEmpty } = await prepareDatabase(stateDir, worldUrl)
  const vars = varsOf(stateDir, appUrl, worldUrl)
  const start = (port: number): Promise<RunningApp> => startApp({ port, stateDir, envFile, vars, verbose })
  const doneMark = join(stateDir, 'catalogue-filled')
  if (isCatalogueEmpty || !existsSync(doneMark)) await fillUnseen(start, doneMark)
  return { start, isDirectoryNew: await seedDirectory(stateDir) }
}
