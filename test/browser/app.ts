import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { D1Database, DurableObjectNamespace } from '@cloudflare/workers-types'
import { createTestHarness } from 'wrangler'
import type { QueueName } from '../../src/jobs/job.ts'
import type { LedgerCalls } from '../../src/jobs/ledger/calls.ts'
import { worldBindings } from '../world/bindings.ts'
import { startWorld, type RunningWorld } from '../world/server.ts'
import { startFront } from './front.ts'

/** What the journeys touch of the app's bindings. */
interface Bindings {
  DB: D1Database
  LEDGER: DurableObjectNamespace
}

export interface Statement {
  text: string
  values?: readonly unknown[]
}

/** The app under test in a real workerd, beside a world of its own, with hands on its database and its clock-work. */
export interface App {
  /** Its public address, the same for the whole run. */
  url: string
  /** The world of now: `reset` puts a new one in its place, at the same address. */
  world: RunningWorld
  /** Runs a statement on the app's database. */
  sql<Row>(text: string, ...values: unknown[]): Promise<Row[]>
  /** Runs statements as one. */
  sqlTogether(statements: readonly Statement[]): Promise<void>
  /** The ledger of a queue, asked as the app asks it. */
  ledger(queue: QueueName): Promise<LedgerCalls>
  /** What the app itself reported as an error since it was reset. */
  failures(): string[]
  /** A minute has passed for the polls, and the cron fires. */
  tick(): Promise<void>
  /** Everything is new: the world, and the app with an empty, migrated database. */
  reset(): Promise<void>
  close(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const builtWorker = '.build/journeys'
const twilio = { twilioAccountSid: 'AC00000000000000000000000000000000', twilioAuthToken: 'journey-twilio-token' }
const minuteMs = 60_000
const statementsTogether = 100

/** Builds what would be deployed, once: a reset then only has to start it. Throws with wrangler's own words. */
async function build(): Promise<void> {
  const words = ['deploy', '--dry-run', '--outdir', builtWorker]
  await promisify(execFile)('wrangler', words, { cwd: root, env: { ...process.env, WRANGLER_HIDE_BANNER: 'true' } })
}

export async function startApp(): Promise<App> {
  process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'
  process.env['WRANGLER_SEND_METRICS'] = 'false'
  const front = await startFront()
  const makeWorld = (port: number): Promise<RunningWorld> =>
    startWorld({ port, appUrl: front.url, ...twilio, slowMs: 800, smsDeliveryMs: 100 })
  const [world] = await Promise.all([makeWorld(0), build()])
  const harness = createTestHarness({
    root,
    workers: [
      {
        configPath: './wrangler.toml',
        prebuiltWorkerDir: builtWorker,
        vars: {
          APP_URL: front.url,
          ...worldBindings(world.url, twilio.twilioAccountSid),
        },
        secrets: {
          SECRET_KEY: 'journey-secret-key-of-more-than-32-characters',
          TWILIO_AUTH_TOKEN: twilio.twilioAuthToken,
          RESEND_API_KEY: 're_journey',
        },
      },
    ],
  })
  const worker = harness.getWorker<Bindings>()
  const database = async (): Promise<D1Database> => (await worker.getEnv()).DB
  let ticks = 0

  async function begin(): Promise<void> {
    const { url } = await harness.listen()
    front.leadTo(Number(url.port))
    await worker.applyD1Migrations('DB')
    ticks = 0
  }
  await begin()

  const app: App = {
    url: front.url,
    world,
    async sql<Row>(text: string, ...values: unknown[]) {
      const statement = (await database()).prepare(text).bind(...values)
      return (await statement.all<Row>()).results
    },
    async sqlTogether(statements) {
      const db = await database()
      for (let at = 0; at < statements.length; at += statementsTogether) {
        const some = statements.slice(at, at + statementsTogether)
        await db.batch(some.map(({ text, values = [] }) => db.prepare(text).bind(...values)))
      }
    },
    async ledger(queue) {
      const { LEDGER } = await worker.getEnv()
      // The class implements the calls; the platform's own type of a stub does not say so.
      return LEDGER.get(LEDGER.idFromName(queue)) as unknown as LedgerCalls
    },
    failures() {
      return harness.getLogs().flatMap(({ level, message }) => (level === 'error' ? [message] : []))
    },
    async tick() {
      await app.sql('UPDATE section_group SET asked_at = asked_at - ?', minuteMs)
      // A minute fires once, and what is planned for it is due at once: so each tick takes an earlier one.
      await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date(Date.now() - minuteMs * ticks) })
      ticks += 1
    },
    async reset() {
      const { port } = app.world
      const [next] = await Promise.all([app.world.close().then(() => makeWorld(port)), harness.reset().then(begin)])
      app.world = next
    },
    async close() {
      await Promise.all([harness.close(), front.close(), app.world.close()])
    },
  }
  return app
}
