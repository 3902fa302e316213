import type { Sql, SqlValue } from './sql.ts'

/** A Durable Object's own storage as the ledger's. */
export function storageSql(storage: DurableObjectStorage): Sql {
  return {
    rows: <Row extends Record<string, SqlValue>>(statement: string, ...values: SqlValue[]) =>
      storage.sql.exec<Row>(statement, ...values).toArray(),
    atomically: (act) => storage.transactionSync(act),
  }
}
