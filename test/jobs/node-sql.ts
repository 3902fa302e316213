import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { SqlValue } from '../../src/db/own-database.ts'
import type { Sql } from '../../src/jobs/ledger/sql.ts'
import { prepareSchema } from '../../src/jobs/ledger/schema.ts'

/** A ledger's storage in Node's memory, with its tables. */
export function nodeSql(): Sql & { close(): void } {
  const database = new DatabaseSync(':memory:')
  const statements = new Map<string, StatementSync>()
  const sql: Sql = {
    rows<Row extends Record<string, SqlValue>>(text: string, ...values: SqlValue[]): Row[] {
      const statement = statements.get(text) ?? database.prepare(text)
      statements.set(text, statement)
      return statement.all(...values).map((row) => ({ ...row }) as Row)
    },
    atomically(act) {
      database.exec('BEGIN')
      try {
        const result = act()
        database.exec('COMMIT')
        return result
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
  prepareSchema(sql)
  return { ...sql, close: () => database.close() }
}
