import type { D1Database, D1PreparedStatement, D1Result } from '@cloudflare/workers-types'

/** All runs of one statement since the counts were last read. */
export interface StatementCount {
  /** The statement on one line. */
  sql: string
  runs: number
  rows_read: number
  rows_written: number
  /** Inside SQLite, in ms. */
  duration: number
}

/** Stores what the database itself reports for each statement: rows read and written, time spent. */
export class StatementCounts {
  #bySql = new Map<string, StatementCount>()

  add(sql: string, { meta }: D1Result): void {
    const key = sql.replace(/\s+/g, ' ').trim()
    let count = this.#bySql.get(key)
    if (count === undefined) {
      count = { sql: key, runs: 0, rows_read: 0, rows_written: 0, duration: 0 }
      this.#bySql.set(key, count)
    }
    count.runs += 1
    count.rows_read += meta.rows_read
    count.rows_written += meta.rows_written
    count.duration += meta.duration
  }

  /** One call that is not a statement. */
  addCall(name: string): void {
    this.add(name, { meta: { rows_read: 0, rows_written: 0, duration: 0 } } as D1Result)
  }

  /** What was counted since the last call. */
  take(): StatementCount[] {
    const counts = [...this.#bySql.values()]
    this.#bySql = new Map()
    return counts
  }
}

/** A statement that is counted when it runs, alone or in a batch. */
class CountedStatement {
  readonly sql: string
  readonly inner: D1PreparedStatement
  readonly #counts: StatementCounts

  constructor(sql: string, inner: D1PreparedStatement, counts: StatementCounts) {
    this.sql = sql
    this.inner = inner
    this.#counts = counts
  }

  bind(...values: unknown[]): CountedStatement {
    return new CountedStatement(this.sql, this.inner.bind(...values), this.#counts)
  }

  async all(): Promise<D1Result> {
    const result = await this.inner.all()
    this.#counts.add(this.sql, result)
    return result
  }

  run(): Promise<D1Result> {
    return this.all()
  }

  /** Reads all rows, because only that returns the counts; our statements ask for one row where they want one. */
  async first(column?: string): Promise<unknown> {
    const { results } = await this.all()
    const row: unknown = results[0] ?? null
    if (column === undefined || row === null) return row
    return Reflect.get(Object(row), column)
  }
}

/** The database with every statement counted. Methods that our code does not use are missing. */
export function countedDatabase(inner: D1Database, counts: StatementCounts): unknown {
  return {
    prepare: (sql: string) => new CountedStatement(sql, inner.prepare(sql), counts),
    async batch(statements: CountedStatement[]) {
      const results = await inner.batch(statements.map((statement) => statement.inner))
      for (const [index, result] of results.entries()) counts.add(statements[index]?.sql ?? '', result)
      return results
    },
    withSession: () => ({ ...Object(countedDatabase(inner, counts)), getBookmark: () => null }),
  }
}
