import { env } from 'cloudflare:workers'

/** Counts of the queries, from the database itself. */
export interface Reads {
  /** Round trips. */
  trips: number
  rows: number
}

/** The database, and counts of what is queried through this wrapper: a batch is one trip. Writes are passed on. */
export function countedReads(): { db: D1Database; reads: Reads } {
  const reads: Reads = { trips: 0, rows: 0 }
  const counted = <Row>(results: D1Result<Row>[]) => {
    reads.trips += 1
    for (const { meta } of results) reads.rows += meta.rows_read
    return results
  }
  const inner = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const prepared = (statement: D1PreparedStatement): D1PreparedStatement => {
    const all = async <Row>() => {
      const result = await statement.all<Row>()
      counted([result])
      return result
    }
    const outer: Pick<D1PreparedStatement, 'bind' | 'all' | 'run'> & { first(column?: string): Promise<unknown> } = {
      bind: (...values) => prepared(statement.bind(...values)),
      all,
      run: all,
      async first(column) {
        const [row = null] = (await all<Record<string, unknown>>()).results
        return column === undefined || row === null ? row : (row[column] ?? null)
      },
    }
    const made = outer as D1PreparedStatement
    inner.set(made, statement)
    return made
  }
  const db: Pick<D1Database, 'prepare' | 'batch' | 'withSession'> = {
    prepare: (sql) => prepared(env.DB.prepare(sql)),
    batch: async <Row>(statements: D1PreparedStatement[]) =>
      counted(await env.DB.batch<Row>(statements.map((statement) => inner.get(statement) ?? statement))),
    withSession: () => ({ ...db, getBookmark: () => null }),
  }
  return { db: db as D1Database, reads }
}
