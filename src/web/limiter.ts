import { DurableObject } from 'cloudflare:workers'

interface TakeRequest {
  /** How much may be taken in any window. */
  limit: number
  window_ms: number
  /** Default: 1. 0 only checks. */
  cost?: number
  /** Whose it is, for {@link Limiter.giveBack}. */
  id?: string
}

interface TakeAnswer {
  allowed: boolean
  /** How long to wait, ms; 0 if allowed. */
  retry_after_ms: number
  remaining: number
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
  #isPrepared = false

  /** Takes `cost` from a sliding window, all or nothing. A refusal costs nothing. */
  async take({ limit, window_ms, cost = 1, id = '' }: TakeRequest): Promise<TakeAnswer> {
    this.#prepare()
    const now = Date.now()
    const { sql } = this.ctx.storage
    sql.exec('DELETE FROM taking WHERE at <= ?', now - window_ms)
    const taken = sql.exec<{ at: number; cost: number }>('SELECT at, cost FROM taking ORDER BY at, number').toArray()
    const sum = taken.reduce((total, row) => total + row.cost, 0)
    if (sum + cost <= limit) {
      if (cost !== 0) {
        sql.exec('INSERT INTO taking (at, cost, until, id) VALUES (?, ?, ?, ?)', now, cost, now + window_ms, id)
        await this.#forgetLater(now + window_ms)
      }
      return { allowed: true, retry_after_ms: 0, remaining: limit - sum - cost }
    }
    return {
      allowed: false,
      retry_after_ms: freeAfter(taken, sum + cost - limit, now, window_ms),
      remaining: Math.max(0, limit - sum),
    }
  }

  /** First come, first served: at most `limit` turns a window, `spacing_ms` apart; the caller waits `wait_ms`. */
  async reserve({ limit, window_ms, spacing_ms, patience_ms = Infinity }: ReserveRequest): Promise<ReserveAnswer> {
    this.#prepare()
    const now = Date.now()
    const { sql } = this.ctx.storage
    const [last, ...others] = sql
      .exec<{ at: number }>('SELECT at FROM turn ORDER BY at DESC, number DESC LIMIT ?', limit)
      .toArray()
      .map(({ at }) => at)
    const turns = last === undefined ? [] : [last, ...others]
    const at = Math.max(now, (last ?? -Infinity) + spacing_ms, (turns[limit - 1] ?? -Infinity) + window_ms)
    if (at - now > patience_ms) return { reserved: false, wait_ms: at - now }
    const until = at + Math.max(window_ms, spacing_ms)
    sql.exec('DELETE FROM turn WHERE until <= ?', now)
    sql.exec('INSERT INTO turn (at, until) VALUES (?, ?)', at, until)
    await this.#forgetLater(until)
    return { reserved: true, wait_ms: at - now }
  }

  /** Gives back what was taken under this id, as if it had never been taken. */
  async giveBack(id: string): Promise<void> {
    this.#prepare()
    this.ctx.storage.sql.exec('DELETE FROM taking WHERE id = ?', id)
  }

  /** Forgets what was taken, for example when the right password follows wrong ones. */
  async clear(): Promise<void> {
    this.#prepare()
    this.ctx.storage.sql.exec('DELETE FROM taking')
  }

  override async alarm(): Promise<void> {
    this.#prepare()
    const { until } = this.ctx.storage.sql
      .exec<{ until: number | null }>(
        'SELECT max(until) AS until FROM (SELECT until FROM taking UNION ALL SELECT until FROM turn)',
      )
      .one()
    if (until !== null && until > Date.now()) return this.ctx.storage.setAlarm(until)
    this.#isPrepared = false
    await this.ctx.storage.deleteAll()
  }

  #prepare(): void {
    if (this.#isPrepared) return
    const { sql } = this.ctx.storage
    sql.exec(
      'CREATE TABLE IF NOT EXISTS taking (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, cost REAL NOT NULL, until INTEGER NOT NULL, id TEXT NOT NULL)',
    )
    sql.exec(
      'CREATE TABLE IF NOT EXISTS turn (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL)',
    )
    this.#isPrepared = true
  }

  /** An alarm that is already set is kept: if it fires too early, it sets itself again. */
  async #forgetLater(at: number): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(at)
  }
}

function freeAfter(
  taken: readonly { at: number; cost: number }[],
  excess: number,
  now: number,
  windowMilliseconds: number,
): number {
  let left = excess
  for (const { at, cost } of taken) {
    left -= cost
    if (left <= 0) return at + windowMilliseconds - now
  }
  return windowMilliseconds
}
