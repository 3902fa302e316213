import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unstable_splitSqlQuery } from 'wrangler'
import { paces } from '../../../src/notify/addresses.ts'
import { bundle } from '../../world/start/bundle.ts'
import { startRuntime } from '../../world/start/runtime.ts'
import { freePort, ROOT } from '../../world/start/settings.ts'
import { makeVapidVars } from '../../world/push/vapid-keys.ts'
import { startWorld, type RunningWorld } from '../../world/server.ts'
import type { WorldOptions } from '../../world/world.ts'
import { askedDatabase, type BenchDatabase, databaseWorker } from './asked-database.ts'
import type { StatementCount } from './counted-database.ts'

/** The outcome of a job, as far as a bench needs it. */
export interface EndedJob {
  state: string
  result: unknown
  error: string | null
}

/** The whole app in miniflare (real queues, Durable Objects, D1 in memory) beside a separate world. */
export interface BenchApp {
  db: BenchDatabase
  world: RunningWorld
  /** Calls one of the bench's own addresses of the Worker: a path from `/`; a body makes it a POST. */
  ask<Answer>(path: string, body?: object): Promise<Answer>
  /** Fires the minute cron. */
  tick(): Promise<void>
  /** Runs a job through its ledger, queue and consumer, and throws unless it finishes. */
  run(task: string, input: object): Promise<EndedJob>
  /** Waits until no job is due or running. */
  rest(): Promise<void>
  /** Every D1 statement since the last call, by its text. */
  counts(): Promise<StatementCount[]>
  close(): Promise<void>
}

const twilio = { twilioAccountSid: 'AC00000000000000000000000000000000', twilioAuthToken: 'bench-twilio-token' }

/**
 * The Workers a bench can run: the app with D1 counted, that one with calls to fill and time a ledger, or to read admin
 * lists, and the app far away.
 */
type Entry = 'measured-worker' | 'ledger-worker' | 'admin-worker' | 'far-worker' | 'bare-worker'

const bundles = new Map<Entry, Promise<string>>()

function bundleOnce(entry: Entry): Promise<string> {
  const bundled = bundles.get(entry) ?? bundle(`test/bench/app/${entry}.ts`)
  bundles.set(entry, bundled)
  return bundled
}

/** State stays in memory, because the waits of a slow disk would be measured otherwise. */
function keepStateInMemory(): void {
  const memory = '/dev/shm'
  if (existsSync(memory)) process.env['TMPDIR'] = memory
}

interface Start {
  /** On which debuggers find its isolates; default: none. */
  inspectorPort?: number
  /**
   * Whether what the world sends to the app comes straight to the Worker's export `straight`, and what the app sends
   * goes straight to the network. Otherwise it passes three Workers of Miniflare's on the way in and one on the way out,
   * which run on the same thread and are part of no deployment: 0.9 ms for each request that comes in.
   */
  isStraight?: boolean
}

/**
 * Starts the app and its world on free ports.
 * @param options what the world is to be like
 */
export async function startApp(
  options: Partial<WorldOptions> = {},
  entry: Entry = 'measured-worker',
  { inspectorPort, isStraight = false }: Start = {},
): Promise<BenchApp> {
  const script = await bundleOnce(entry)
  const port = await freePort()
  const straight = isStraight ? { port: await freePort(), entrypoint: 'straight' } : null
  const frontUrl = `http://127.0.0.1:${port}`
  const appUrl = straight === null ? frontUrl : `http://127.0.0.1:${straight.port}`
  const world = await startWorld({ appUrl, ...twilio, ...options, port: 0 })
  keepStateInMemory()
  const miniflare = await startRuntime({
    name: 'bench',
    port,
    script,
    // Measurements send requests from one address, as fast as possible.
    readLimit: 1_000_000_000,
    beside: databaseWorker,
    ...(inspectorPort !== undefined && { inspectorPort }),
    ...(straight !== null && { straight }),
    bindings: {
      APP_URL: appUrl,
      SECRET_KEY: 'bench-secret-key-of-more-than-32-characters',
      SMS_API_URL: `${world.url}/sms`,
      TWILIO_ACCOUNT_SID: twilio.twilioAccountSid,
      TWILIO_AUTH_TOKEN: twilio.twilioAuthToken,
      SMS_FROM: '+12025550100',
      RESEND_API_URL: `${world.url}/mail`,
      RESEND_API_KEY: 're_bench',
      DISCORD_API_URL: `${world.url}/discord/api`,
      ...makeVapidVars(),
      PUSH_SERVICE_URL: `${world.url}/push`,
    },
  })
  const db = askedDatabase(await miniflare.unsafeGetDirectURL('beside'))
  await migrate(db)
  // Providers of a bench have no pace, unless a part sets one.
  await db
    .prepare("INSERT INTO setting (name, value, changed_at) SELECT value, '0', 0 FROM json_each(?)")
    .bind(JSON.stringify(Object.values(paces).map(({ setting }) => setting)))
    .run()
  const ask = async <Answer>(path: string, body?: object): Promise<Answer> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(frontUrl + path, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
  return {
    db,
    world,
    ask,
    async tick() {
      const response = await fetch(`${frontUrl}/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`)
      if (!response.ok) throw new Error(`The cron answered ${response.status}.`)
    },
    async run(task, input) {
      const ended = await ask<EndedJob | null>('/_bench/run', { task, input })
      if (ended?.state !== 'finished') throw new Error(`${task} ${ended?.state}: ${ended?.error}`)
      return ended
    },
    async rest() {
      while ((await ask<number>('/_bench/busy')) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    counts: () => ask<StatementCount[]>('/_bench/counts'),
    async close() {
      await miniflare.dispose()
      await world.close()
    },
  }
}

async function migrate(db: BenchDatabase): Promise<void> {
  const folder = join(ROOT, 'migrations')
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()) {
    const statements = unstable_splitSqlQuery(await readFile(join(folder, file), 'utf8'))
    await db.batch(statements.map((statement) => db.prepare(statement)))
  }
}
