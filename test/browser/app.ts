import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import type { QueueName } from '../../src/jobs/job.ts'
import type { LedgerCalls } from '../../src/jobs/ledger/index.ts'
import { schemaOf } from '../db/schema-of.ts'
import { worldBindings } from '../world/bindings.ts'
import { startWorld, type RunningWorld } from '../world/server.ts'
import { startRuntime } from '../world/start/runtime.ts'
import { ROOT } from '../world/start/settings.ts'
import { builtWorker } from './built-worker.ts'
import { startFront } from './front.ts'

export interface Statement {
  text: string
  values?: readonly unknown[]
}

/** The app under test in a real workerd, with a separate world, and access to its database and cron. */
export interface App {
  /** Its public address, the same for the whole run. */
  url: string
  /** The current world; `reset` replaces it at the same address. */
  world: RunningWorld
  /** Runs a statement on the app's database. */
  sql<Row>(text: string, ...values: unknown[]): Promise<Row[]>
  /** Runs statements as one transaction. */
  sqlTogether(statements: readonly Statement[]): Promise<void>
  /** The ledger of a queue, called as the app does. */
  ledger(queue: QueueName): Promise<LedgerCalls>
  /** Runs statements on a ledger's own tables. Only if the app was started for a gallery. */
  ledgerSql(queue: QueueName, statements: readonly Statement[]): Promise<void>
  /** What the app itself has logged as errors since its reset. */
  failures(): string[]
  /** A minute passes for the polls, and the cron fires. */
  tick(): Promise<void>
  /**
   * Resets everything: the world, and the app with an empty, migrated database.
   * @param isSound whether the runtime may be used again; default: true
   */
  reset(isSound?: boolean): Promise<void>
  close(): Promise<void>
}

const twilio = { twilioAccountSid: 'AC00000000000000000000000000000000', twilioAuthToken: 'journey-twilio-token' }
const minuteMs = 60_000
const MAX_ERASURES = 20
/** How often a database that is just ending is asked, and the pause in between, in ms: nothing reports its end. */
const MAX_TRIES = 10
const PAUSE_MS = 50
const statementsTogether = 100

/**
 * Runs the statements sent to it as one transaction, and returns the rows of each. DELETE removes all stored data of the
 * runtime: databases, sessions, caches, messages and Durable Objects, which also end.
 */
const statementRunner = `import unsafe from 'workerd:unsafe'
export default {
  async fetch(request, { DB }) {
    try {
      if (request.method === 'DELETE') {
        await unsafe.deleteAllDurableObjects()
        return new Response(null, { status: 204 })
      }
      const statements = await request.json()
      const ran = await DB.batch(statements.map(({ text, values = [] }) => DB.prepare(text).bind(...values)))
      return Response.json(ran.map(({ results }) => results))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}`

/** The Worker with ledgers that also accept statements. */
const openLedgers = `import { Ledger as Own } from './worker.js'
export * from './worker.js'
export { default } from './worker.js'
export class Ledger extends Own {
  write(statements) {
    for (const { text, values = [] } of statements) this.ctx.storage.sql.exec(text, ...values)
  }
}`

/** Redirects requests to Google's push services to their stand-ins. */
const toGoogleOf = (googleUrl: string): string => `export default {
  fetch(request) {
    const { hostname, pathname } = new URL(request.url)
    if (hostname !== 'fcm.googleapis.com' && hostname !== 'jmt17.google.com') return fetch(request)
    return fetch(new Request('${googleUrl}/' + hostname + pathname, request))
  },
}`

/** One start of the app, with an empty, migrated database. */
interface Start {
  runtime: Miniflare
  /** Its own address, behind the public one. */
  port: number
  /** Runs statements as one transaction; a hundred at most. */
  query(statements: readonly Statement[]): Promise<Record<string, unknown>[][]>
  /** Whether a journey has used it. */
  isUsed: boolean
  /** Removes everything that is stored, and with it all work that has not begun. */
  erase(): Promise<void>
  failures: string[]
}

/** The script that would be deployed. */
const readScript = async (): Promise<string> => readFile(join(ROOT, await builtWorker(), 'worker.js'), 'utf8')

/** The statement that makes an empty database what all migrations make of it. */
async function readSchema(): Promise<Statement> {
  const folder = join(ROOT, 'migrations')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const read = async (name: string) => ({
    name,
    queries: unstable_splitSqlQuery(await readFile(join(folder, name), 'utf8')),
  })
  return { text: schemaOf(await Promise.all(files.map(read))) }
}

async function runTogether({ query }: Start, statements: readonly Statement[]): Promise<void> {
  for (let at = 0; at < statements.length; at += statementsTogether)
    await query(statements.slice(at, at + statementsTogether))
}

interface AppOptions {
  /** The stand-ins of Google's push services; default: the real ones. */
  googleUrl?: string | undefined
  /** For screenshots: the time zone of the app's readers, and access to rewrite its past. */
  gallery?: { timeZone: string }
}

export async function startApp({ googleUrl, gallery }: AppOptions = {}): Promise<App> {
  const front = await startFront()
  const makeWorld = (port: number): Promise<RunningWorld> =>
    startWorld({ port, appUrl: front.url, ...twilio, slowMs: 800, smsDeliveryMs: 100 })
  const [world, script, schema] = await Promise.all([makeWorld(0), readScript(), readSchema()])

  async function begin(): Promise<Start> {
    const failures: string[] = []
    const runtime = await startRuntime({
      name: 'journeys',
      port: 0,
      script,
      bindings: {
        APP_URL: front.url,
        ...worldBindings(world.url, twilio.twilioAccountSid),
        SECRET_KEY: 'journey-secret-key-of-more-than-32-characters',
        TWILIO_AUTH_TOKEN: twilio.twilioAuthToken,
        RESEND_API_KEY: 're_journey',
      },
      beside: statementRunner,
      ...(gallery && { around: openLedgers, timeZone: gallery.timeZone }),
      ...(googleUrl !== undefined && { outbound: toGoogleOf(googleUrl) }),
      onError: (message) => failures.push(message),
    })
    const [{ port }, database] = await Promise.all([runtime.ready, runtime.unsafeGetDirectURL('beside')])
    const start: Start = {
      runtime,
      port: Number(port),
      isUsed: false,
      failures,
      async query(statements) {
        for (let tries = 1; ; tries += 1) {
          const answer = await fetch(database, { method: 'POST', body: JSON.stringify(statements) })
          if (answer.ok) return (await answer.json()) as Record<string, unknown>[][]
          const error = await answer.text()
          // The database of the journey before may end only now, which rolls back what it was just asked.
          if (tries === MAX_TRIES || !error.includes('internal error')) throw new Error(error)
          await setTimeout(PAUSE_MS)
        }
      },
      async erase() {
        // What is busy at that moment survives or fails, so it is repeated until the database is gone as well.
        for (let tries = 0; tries < MAX_ERASURES; tries += 1) {
          const answer = await fetch(database, { method: 'DELETE' })
          await answer.text()
          const [tables] = await start.query([{ text: `SELECT name FROM sqlite_master WHERE name = 'user'` }])
          if (tables?.length === 0) return
        }
        throw new Error('The data of the journey before could not be erased.')
      },
    }
    await start.query([schema])
    return start
  }

  /** Makes a start as empty as a new one, or replaces it by one. */
  async function renewed(start: Start): Promise<Start> {
    if (!start.isUsed) return start
    try {
      return await emptied(start)
    } catch {
      await start.runtime.dispose().catch(() => undefined)
      return begin()
    }
  }

  async function emptied(start: Start): Promise<Start> {
    const fill = async (): Promise<void> => {
      await start.erase()
      // A page that an isolate has kept must not be taken for one of this database.
      await start.query([schema, { text: 'UPDATE site_version SET version = hex(randomblob(8))' }])
    }
    // A database that was erased while it began answers with errors until it is erased again.
    await fill().catch(fill)
    start.failures.length = 0
    return start
  }

  function beginAhead(): Promise<Start> {
    const start = begin()
    // A failure is reported where it is awaited.
    start.catch(() => undefined)
    return start
  }

  let present = await begin()
  front.leadTo(present.port)
  /**
   * The runtime of the next journey. The two take turns, so that each rests for a journey: work that was under way ends,
   * and what an isolate remembers for seconds is forgotten.
   */
  let resting = beginAhead()
  let ticks = 0

  const app: App = {
    url: front.url,
    world,
    async sql<Row>(text: string, ...values: unknown[]) {
      const [rows = []] = await present.query([{ text, values }])
      return rows as Row[]
    },
    sqlTogether: (statements) => runTogether(present, statements),
    async ledger(queue) {
      const ledgers = await present.runtime.getDurableObjectNamespace('LEDGER')
      // The class implements the calls; the platform's own type of a stub does not say so.
      return ledgers.get(ledgers.idFromName(queue)) as unknown as LedgerCalls
    },
    async ledgerSql(queue, statements) {
      const ledgers = await present.runtime.getDurableObjectNamespace('LEDGER')
      const ledger = ledgers.get(ledgers.idFromName(queue)) as unknown as Record<
        'write',
        (statements: readonly Statement[]) => Promise<void>
      >
      for (let at = 0; at < statements.length; at += statementsTogether)
        await ledger.write(statements.slice(at, at + statementsTogether))
    },
    failures: () => present.failures,
    async tick() {
      await app.sql('UPDATE section_group SET asked_at = asked_at - ?', minuteMs)
      // A minute fires once, and what it schedules is due at once, so each tick uses an earlier one.
      const time = Date.now() - minuteMs * ticks
      const cron = encodeURIComponent('* * * * *')
      const answer = await fetch(`${front.url}/cdn-cgi/local/scheduled?cron=${cron}&time=${time}`)
      if (!answer.ok) throw new Error(`The cron answered ${answer.status}: ${await answer.text()}`)
      ticks += 1
    },
    async reset(isSound = true) {
      const { port } = app.world
      const used = present
      used.isUsed = true
      // After a failed start this one may have been disposed of before.
      await (isSound ? used.erase() : used.runtime.dispose().catch(() => undefined))
      await app.world.close()
      app.world = await makeWorld(port)
      try {
        present = await resting.then(renewed)
      } catch (error) {
        resting = beginAhead()
        throw error
      }
      resting = isSound ? Promise.resolve(used) : beginAhead()
      front.leadTo(present.port)
      ticks = 0
    },
    async close() {
      await Promise.all([
        present.runtime.dispose(),
        resting.then(
          ({ runtime }) => runtime.dispose(),
          () => undefined,
        ),
        front.close(),
      ])
      await app.world.close()
    },
  }
  return app
}
