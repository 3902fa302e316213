import type { D1Database, D1PreparedStatement, D1Result } from '@cloudflare/workers-types'

export type BenchDatabase = Pick<D1Database, 'prepare' | 'batch'>

interface Asked {
  text: string
  values: unknown[]
}

/** A Worker beside the app that runs the statements sent to it as one transaction. */
export const databaseWorker = `export default {
  async fetch(request, { DB }) {
    const statements = await request.json()
    const results = await DB.batch(statements.map(({ text, values }) => DB.prepare(text).bind(...values)))
    return Response.json(results)
  },
}`

/**
 * The app's database, queried through {@link databaseWorker} at this address. Miniflare's own way blocks this process
 * until the runtime answers, and a runtime that logs much waits for this process to read its log: then both wait
 * forever.
 */
export function askedDatabase(address: URL): BenchDatabase {
  const asked = new WeakMap<D1PreparedStatement, Asked>()

  async function runAll<Row>(statements: readonly Asked[]): Promise<D1Result<Row>[]> {
    const answer = await fetch(address, { method: 'POST', body: JSON.stringify(statements) })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as D1Result<Row>[]
  }

  function prepared(statement: Asked): D1PreparedStatement {
    async function all<Row>(): Promise<D1Result<Row>> {
      const [result] = await runAll<Row>([statement])
      if (result === undefined) throw new Error('The database answered nothing.')
      return result
    }
    const made: Pick<D1PreparedStatement, 'bind' | 'all' | 'run'> & { first(column?: string): Promise<unknown> } = {
      bind: (...values) => prepared({ ...statement, values }),
      all,
      run: all,
      async first(column) {
        const [row = null] = (await all<Record<string, unknown>>()).results
        return column === undefined || row === null ? row : (row[column] ?? null)
      },
    }
    asked.set(made as D1PreparedStatement, statement)
    return made as D1PreparedStatement
  }

  return {
    prepare: (text) => prepared({ text, values: [] }),
    batch: <Row>(statements: D1PreparedStatement[]) =>
      runAll<Row>(
        statements.map((one) => {
          const statement = asked.get(one)
          if (statement === undefined) throw new Error('A statement of another database.')
          return statement
        }),
      ),
  }
}
