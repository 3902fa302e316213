import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { worldBindings } from '../bindings.ts'
import { startApp, type RunningApp } from './app.ts'
import { keepVapidVars } from '../push/vapid-keys.ts'
import { fillCatalog } from './fill.ts'
import { prepareDatabase, seedDirectory } from './seed.ts'
import { freePort } from './settings.ts'

/** The account that the world's SMS provider knows: invented, and useless outside. */
export const TWILIO = {
  twilioAccountSid: 'AC00000000000000000000000000000000',
  twilioAuthToken: 'local-world-twilio-token',
}
export { SMS_FROM } from '../bindings.ts'

/** The one secret that must survive a restart, or every session and link would end with it. */
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

/** Fills the catalog through an app that no one else can find yet. If this fails, the app still starts. */
async function fillUnseen(start: (port: number) => Promise<RunningApp>, doneMark: string): Promise<void> {
  console.log('Reading the schools’ catalog (first start only) …')
  const app = await start(await freePort())
  try {
    await fillCatalog(app.url, console.log)
    writeFileSync(doneMark, '')
  } catch (error) {
    console.error(`The catalog is not complete: ${error instanceof Error ? error.message : String(error)}`)
    console.error('Refresh it on the Manage Course List page, or start again.')
  } finally {
    await app.stop()
  }
}

/** The complete local state, and what starts the app with it. */
interface Prepared {
  /** @param port where to listen; links lead to the public address all the same */
  start(port: number): Promise<RunningApp>
  /** Whether the directory was empty, so that the cron still has to build its search index. */
  isDirectoryNew: boolean
}

/** Migrates, seeds and fills the state in `stateDir` as far as necessary, beside a running world. */
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
  const { isCatalogEmpty } = await prepareDatabase(stateDir, worldUrl)
  const vars = varsOf(stateDir, appUrl, worldUrl)
  const start = (port: number): Promise<RunningApp> => startApp({ port, stateDir, envFile, vars, verbose })
  const doneMark = join(stateDir, 'catalog-filled')
  if (isCatalogEmpty || !existsSync(doneMark)) await fillUnseen(start, doneMark)
  return { start, isDirectoryNew: await seedDirectory(stateDir) }
}
