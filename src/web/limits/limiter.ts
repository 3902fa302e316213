import { DurableObject } from 'cloudflare:workers'
import { desc, eq, gte, lte, sql } from 'drizzle-orm'
import { getTableConfig, integer, real, type SQLiteTable, sqliteTable, text, unionAll } from 'drizzle-orm/sqlite-core'
import { firstIn, ownDatabase, runIn } from '../../db/own-database.ts'
import { parameter, parameters, prepared, names, query, statement } from '../../db/query.ts'

const times = { number: integer().primaryKey(), at: integer().notNull(), until: integer().notNull() }
/** `cost` is always 1; limiters that already exist have the column. */
const taken = sqliteTable('taking', { ...times, cost: real().notNull(), id: text().notNull() })
const turn = sqliteTable('turn', times)

const createTables = [taken, turn].map((table) => prepared(() => createTable(table)))

function createTable(table: SQLiteTable) {
  const columns = getTableConfig(table).columns.map(
    (column) =>
      sql`${names(column)} ${sql.raw(column.getSQLType())} ${sql.raw(column.primary ? 'PRIMARY KEY' : 'NOT NULL')}`,
  )
  return statement(sql`CREATE TABLE IF NOT EXISTS ${table} (${sql.join(columns, sql`, `)})`)
}

const forgetTaken = prepared(() => query.delete(taken).where(lte(taken.at, parameter('at'))))
const sumTaken = prepared(() => query.select({ sum: sql<number>`coalesce(sum(${taken.cost}), 0)` }).from(taken))
/** The oldest time at which this much had been taken. Rows are numbered in the order of their times. */
const findReached = prepared(() => {
  const total = sql<number>`sum(${taken.cost}) OVER (ORDER BY ${taken.number})`.as('total')
  const running = query.select({ number: taken.number, at: taken.at, total }).from(taken).as('running')
  const isReached = gte(running.total, parameter('amount'))
  return query.select({ at: running.at }).from(running).where(isReached).orderBy(running.number).limit(1)
})
const giveBack = prepared(() => query.delete(taken).where(eq(taken.id, parameter('id'))))
const addTaken = prepared(() => query.insert(taken).values(parameters('at', 'cost', 'until', 'id')))

const findTurns = prepared(() =>
  query.select({ at: turn.at }).from(turn).orderBy(desc(turn.at), desc(turn.number)).limit(sql.placeholder('limit')),
)
const forgetTurns = prepared(() => query.delete(turn).where(lte(turn.until, parameter('now'))))
const addTurn = prepared(() => query.insert(turn).values(parameters('at', 'until')))

const findUntil = prepared(() => {
  const all = unionAll(query.select({ until: taken.until }).from(taken), query.select({ until: turn.until }).from(turn))
  const counted = all.as('counted')
  return query.select({ until: sql<number | null>`max(${counted.until})` }).from(counted)
})

export interface TakeRequest {
  /** How much may be taken in any window. */
  limit: number
  window_ms: number
  /** Whose it is, for {@link Limiter.giveBack}. */
  id?: string
}

export interface TakeAnswer {
  allowed: boolean
  /** How long to wait, in ms; 0 if allowed. */
  retry_after_ms: number
}

interface ReserveRequest {
  limit: number
  window_ms: number
  /** The minimum time between two turns. */
  spacing_ms: number
  /** Nothing is reserved if the wait would be longer. */
  patience_ms?: number
}

interface ReserveAnswer {
  reserved: boolean
  /** The wait until the caller's turn, or what it would have been if refused. */
  wait_ms: number
}

/** An exact limit for one key, shared by all locations; deletes its data once nothing counts anymore. */
export class Limiter extends DurableObject<Env> {
  readonly #db = ownDatabase(this.ctx.storage)
  #isPrepared = false

  /** Takes one from a sliding window. A refusal takes nothing. */
  async take({ limit, window_ms, id = '' }: TakeRequest): Promise<TakeAnswer> {
    this.#prepare()
    const now = Date.now()
    runIn(this.#db, forgetTaken({ at: now - window_ms }))
    const sum = firstIn(this.#db, sumTaken())?.sum ?? 0
    if (sum + 1 <= limit) {
      runIn(this.#db, addTaken({ at: now, cost: 1, until: now + window_ms, id }))
      await this.#forgetLater(now + window_ms)
      return { allowed: true, retry_after_ms: 0 }
    }
    const reached = firstIn(this.#db, findReached({ amount: sum + 1 - limit }))
    return { allowed: false, retry_after_ms: (reached?.at ?? now) + window_ms - now }
  }

  /** First come, first served: at most `limit` turns a window, `spacing_ms` apart; the caller waits `wait_ms`. */
  async reserve({ limit, window_ms, spacing_ms, patience_ms = Infinity }: ReserveRequest): Promise<ReserveAnswer> {
    this.#prepare()
    const now = Date.now()
    const turns = runIn(this.#db, findTurns({ limit })).map(({ at }) => at)
    const [last] = turns
    const at = Math.max(now, (last ?? -Infinity) + spacing_ms, (turns[limit - 1] ?? -Infinity) + window_ms)
    if (at - now > patience_ms) return { reserved: false, wait_ms: at - now }
    const until = at + Math.max(window_ms, spacing_ms)
    runIn(this.#db, forgetTurns({ now }))
    runIn(this.#db, addTurn({ at, until }))
    await this.#forgetLater(until)
    return { reserved: true, wait_ms: at - now }
  }

  /** Gives back what was taken under this id, as if it had never been taken. */
  async giveBack(id: string): Promise<void> {
    this.#prepare()
    runIn(this.#db, giveBack({ id }))
  }

  /** Forgets what was taken, for example when the right password follows wrong ones. */
  async clear(): Promise<void> {
    this.#prepare()
    runIn(this.#db, query.delete(taken))
  }

  override async alarm(): Promise<void> {
    this.#prepare()
    const until = firstIn(this.#db, findUntil())?.until ?? null
    if (until !== null && until > Date.now()) return this.ctx.storage.setAlarm(until)
    this.#isPrepared = false
    await this.ctx.storage.deleteAll()
  }

  #prepare(): void {
    if (this.#isPrepared) return
    for (const create of createTables) runIn(this.#db, create())
    this.#isPrepared = true
  }

  /** An alarm that is already set is kept: if it fires too early, it sets itself again. */
  async #forgetLater(at: number): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(at)
  }
}
