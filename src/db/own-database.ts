import { compile, type Query, type RowOf } from './query.ts'

export type SqlValue = string | number | null

/** A Durable Object's own database, which answers at once. */
export interface OwnDatabase {
  rows<Row extends Record<string, SqlValue>>(text: string, ...values: SqlValue[]): Row[]
}

export function ownDatabase({ sql: own }: DurableObjectStorage): OwnDatabase {
  return { rows: (text, ...values) => own.exec<never>(text, ...values).toArray() }
}

/** Runs one statement in a Durable Object's own database, without a round trip; returns its rows. */
export function runIn<Statement extends Query>(db: OwnDatabase, one: Statement): RowOf<Statement>[] {
  const { text, params, toRows } = compile(one)
  return toRows(db.rows(text, ...(params as SqlValue[]))) as RowOf<Statement>[]
}

/** The first row of one statement; null when there is none. */
export function firstIn<Statement extends Query>(db: OwnDatabase, one: Statement): RowOf<Statement> | null {
  return runIn(db, one)[0] ?? null
}
