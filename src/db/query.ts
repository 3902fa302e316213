import { Column, fillPlaceholders, is, SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { SQLiteRemoteSession } from 'drizzle-orm/sqlite-proxy'
import { BaseSQLiteDatabase, SQLiteAsyncDialect, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { readingByName, resultName, type Row } from './row-reader.ts'

/*
 * Drizzle writes the statements and types their rows; D1's own `batch` runs them. Drizzle's D1 driver is not used: its batch
 * fails on a template with a parameter, and it lets two columns of one name shift the values of a row.
 */

/** A database, or one session of it (`withSession`). */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

type Fields = Record<string, SQLiteColumn | SQL | SQL.Aliased>

interface Prepared {
  getQuery: () => { sql: string; params: unknown[] }
  mapResult: (result: { rows: Row[] }, isFromBatch: true) => unknown
}

/** A statement ready for D1, and how a row of it is read. */
interface Compiled {
  text: string
  params: unknown[]
  toRows: (rows: Row[]) => unknown[]
}

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })
// In a query over one table Drizzle drops the table's name from the selected columns, even those in a subquery of an
// expression, where they would then be taken for another table's.
const buildSelection: (fields: unknown, settings: { isSingleTable: boolean }) => SQL =
  dialect['buildSelection'].bind(dialect)
Object.assign(dialect, { buildSelection: (fields: unknown) => buildSelection(fields, { isSingleTable: false }) })
// Drizzle keeps the columns of the first table of a name, but a ledger's own database has tables named like those of D1.
const casing: object = Reflect.get(dialect, 'casing')
Object.assign(casing, { getColumnCasing: nameOf })

class Session extends SQLiteRemoteSession<Record<string, never>, Record<string, never>> {
  constructor() {
    super(() => Promise.reject(new Error('Statements are run by read and write.')), dialect, undefined)
  }

  /** @throws if two fields have one name: D1 returns rows as objects, in which the second would replace the first. */
  override prepareQuery: SQLiteRemoteSession<Record<string, never>, Record<string, never>>['prepareQuery'] = (
    ...settings
  ) => {
    const [{ sql: text }, fields = []] = settings
    const taken = new Set<string>()
    for (const { field } of fields) {
      const name = resultName(field)
      if (name !== null && taken.has(name)) throw new Error(`Two fields are called ${name}: ${text}`)
      if (name !== null) taken.add(name)
    }
    return readingByName(super.prepareQuery(...settings), fields)
  }
}

const session = new Session()

class Queries extends BaseSQLiteDatabase<'async', unknown> {
  constructor() {
    super('async', dialect, session, undefined)
    // D1 returns rows as objects, in which a second column of one name would replace the first.
    const select: (fields?: Fields) => unknown = super.select.bind(this)
    Object.assign(this, { select: (fields?: Fields) => select(fields && aliased(fields)) })
  }
}

/**
 * Where a query begins: `query.select({ id: watch.id }).from(watch)`, `query.insert(…)`, `query.update(…)`,
 * `query.delete(…)`. It has no connection: what is built here is handed to {@link read}, {@link write} and the others.
 */
export const query = new Queries()

/** A statement written as a template; with fields it returns rows. */
export class Template<Row> {
  declare readonly _: { readonly result: Row[] }
  readonly #fields: Fields
  readonly #sql: SQL

  constructor(fields: Fields, text: SQL) {
    this.#fields = fields
    this.#sql = text
  }

  getSQL(): SQL {
    return this.#sql
  }

  prepare(): Prepared {
    const fields = Object.entries(aliased(this.#fields)).map(([key, field]) => ({ path: [key], field }))
    return session.prepareQuery(dialect.sqlToQuery(this.#sql), fields.length > 0 ? fields : undefined, 'all', true)
  }
}

/** A {@link prepared} query with its parameters. */
export class Filled<Row> {
  declare readonly _: { readonly result: Row[] }
  readonly compiled: Compiled

  constructor(compiled: Compiled) {
    this.compiled = compiled
  }
}

/** Anything that can be run: a Drizzle query, a template, or a prepared query with its parameters. */
export type Query<Row = unknown> =
  | Template<Row>
  | Filled<Row>
  | { readonly _: { readonly result: unknown }; prepare: () => Prepared }

/** The type of a query's rows, as its columns have it. `RowOf<typeof query>` or `RowOf<ReturnType<typeof build>>`. */
export type RowOf<Statement> = Statement extends { readonly _: { readonly result: readonly (infer Row)[] } }
  ? Row
  : never

type RowsOf<Queries extends readonly Query[]> = { -readonly [Index in keyof Queries]: RowOf<Queries[Index]>[] }

/** The type of a row of these fields: `RowOfFields<typeof fields>`. */
export type RowOfFields<Selected extends Fields> = SelectResultFields<Selected>

/**
 * A statement that Drizzle's builders cannot express: `template({ id: w.id }, (columns) => sql\`SELECT ${columns} FROM
 * …\`)`. `columns` is the list of the fields, each under its key. A column is of the table or alias it was taken from;
 * where the other side of a LEFT JOIN may be missing, wrap it in {@link orNull}.
 */
export function template<Selected extends Fields>(
  fields: Selected,
  write: (columns: SQL) => SQL,
): Template<SelectResultFields<Selected>> {
  return new Template(fields, write(listed(fields)))
}

export function statement(text: SQL): Template<never> {
  return new Template({}, text)
}

/** The fields as a list for SELECT or RETURNING, each under its key. */
export function listed(fields: Fields): SQL {
  return sql.join(
    Object.entries(fields).map(([key, field]) => sql`${bare(field)} AS ${sql.identifier(key)}`),
    sql`, `,
  )
}

/** The fields as a JSON object, each under its key; {@link asJson} reads it. */
export function jsonObject(fields: Fields): SQL {
  const members = Object.entries(fields).map(([key, field]) => sql`${sql.raw(`'${key}'`)}, ${bare(field)}`)
  return sql`json_object(${sql.join(members, sql`, `)})`
}

/** A column that holds JSON. */
export function asJson<Value>(text: SQL): SQL<Value> {
  return sql<Value>`${text}`.mapWith((json: string) => JSON.parse(json) as Value)
}

/** A subquery that finds one row of these fields: `jsonRow(fields, sql\`FROM …\`)`. */
export const jsonRow = <Selected extends Fields>(fields: Selected, from: SQL): SQL<RowOfFields<Selected>> =>
  asJson(sql`(SELECT ${jsonObject(fields)} ${from})`)

/** A column that is null if a LEFT JOIN found no row. */
export function orNull<Taken extends SQLiteColumn>(column: Taken): SQL<Taken['_']['data'] | null> {
  return sql<Taken['_']['data'] | null>`${column}`.mapWith(column)
}

/** A condition as a field. */
export const condition = (holds: SQL): SQL<boolean> => sql<boolean>`${holds}`.mapWith(Boolean)

/** Selects fields that are from no table. */
export const selectValues = <Selected extends Fields>(fields: Selected): Template<SelectResultFields<Selected>> =>
  template(fields, (columns) => sql`SELECT ${columns}`)

/** A column's name in its database. */
function nameOf({ name, keyAsName }: SQLiteColumn): string {
  return keyAsName ? toSnakeCase(name) : name
}

/** A column's name without its table, as SET, INSERT and ON CONFLICT require; several as a list. */
export function names(...columns: readonly [SQLiteColumn, ...SQLiteColumn[]]): SQL {
  return sql.join(
    columns.map((column) => sql.identifier(nameOf(column))),
    sql`, `,
  )
}

/** A column of the row that was not inserted, for ON CONFLICT DO UPDATE. */
export function excluded(column: SQLiteColumn): SQL {
  return sql`excluded.${names(column)}`
}

/** `"one" = excluded."one", "two" = excluded."two"` for ON CONFLICT DO UPDATE SET. */
export const setExcluded = (...columns: readonly SQLiteColumn[]): SQL =>
  sql.join(
    columns.map((column) => sql`${names(column)} = ${excluded(column)}`),
    sql`, `,
  )

/** `"table" ("one", "two")` for INSERT INTO. */
export function into(table: SQLiteTable, ...columns: readonly [SQLiteColumn, ...SQLiteColumn[]]): SQL {
  return sql`${table} (${names(...columns)})`
}

/**
 * Builds a hot query once per isolate and keeps its text: `const find = prepared(() => query.select(…).where(eq(section.id,
 * parameter('id'))))`, then `find({ id })`. Building one takes about 60 µs.
 */
export function prepared<Statement extends Query>(
  build: () => Statement,
): (values?: Record<string, unknown>) => Filled<RowOf<Statement>> {
  let compiled: Compiled | undefined
  return (values = {}) => {
    const { text, params, toRows } = (compiled ??= compile(build()))
    return new Filled({ text, params: fillPlaceholders(params, values), toRows })
  }
}

/** A number of ours inside a statement, written out: SQLite plans with it, and it is none of D1's 100 parameters. */
export const constant = (figure: number): SQL => sql.raw(String(figure))

/** The value of this name in a {@link prepared} query. Drizzle's `limit()` needs `sql.placeholder` itself. */
export const parameter = (name: string): SQL => sql`${sql.placeholder(name)}`

/** Several values under their names: `const { id, now } = parameters('id', 'now')`, or for `values(…)`. */
export function parameters<Name extends string>(...list: readonly Name[]): Record<Name, SQL> {
  return Object.fromEntries(list.map((name) => [name, parameter(name)])) as Record<Name, SQL>
}

export async function read<Statement extends Query>(db: Database, one: Statement): Promise<RowOf<Statement>[]> {
  const [rows] = await readTogether(db, one)
  return rows
}

/** The first row of one query; null when there is none. */
export async function readFirst<Statement extends Query>(
  db: Database,
  one: Statement,
): Promise<RowOf<Statement> | null> {
  const [first] = await read(db, one)
  return first ?? null
}

/** Several queries in one round trip and one transaction; the rows of each, in their order. */
export async function readTogether<Statements extends readonly Query[]>(
  db: Database,
  ...statements: Statements
): Promise<RowsOf<Statements>> {
  const results = await writeTogether(db, statements)
  return results.map(({ rows }) => rows) as RowsOf<Statements>
}

type Written<Row> = Pick<D1Meta, 'changes' | 'last_row_id' | 'size_after'> & { rows: Row[] }
type AllWritten<Statements extends readonly Query[]> = {
  -readonly [Index in keyof Statements]: Written<RowOf<Statements[Index]>>
}

export async function write<Statement extends Query>(db: Database, one: Statement): Promise<Written<RowOf<Statement>>> {
  const [written] = await writeTogether(db, [one])
  return written
}

/** Runs several statements in one round trip, all or none; without statements, no round trip. */
export async function writeTogether<const Statements extends readonly Query[]>(
  db: Database,
  statements: Statements,
): Promise<AllWritten<Statements>> {
  if (statements.length === 0) return [] as AllWritten<Statements>
  const compiled = statements.map(compile)
  const results = await db.batch<Row>(compiled.map(({ text, params }) => db.prepare(text).bind(...params)))
  return results.map(({ results: rows, meta }, index) => ({
    ...meta,
    rows: compiled[index]?.toRows(rows),
  })) as AllWritten<Statements>
}

export type Writer = <const Statements extends readonly Query[]>(
  statements: Statements,
) => Promise<AllWritten<Statements>>

/** A {@link writeTogether} that also runs others in each batch: `first`, such as a check that may refuse it, and `last`. */
export function writerBetween(db: Database, first: readonly Query[], last: readonly Query[] = []): Writer {
  return async <const Statements extends readonly Query[]>(statements: Statements) => {
    const results = await writeTogether(db, [...first, ...statements, ...last])
    return results.slice(first.length, first.length + statements.length) as AllWritten<Statements>
  }
}

/** Writes, then queries that see what was written, in one round trip, all or none; the rows of each query. */
export async function writeThenRead<Queries extends readonly Query[]>(
  db: Database,
  writes: readonly Query[],
  ...queries: Queries
): Promise<RowsOf<Queries>> {
  const lists = await readTogether(db, ...writes, ...queries)
  return lists.slice(writes.length) as RowsOf<Queries>
}

/** The text and parameters of a statement, for another statement or a file that contains it. */
export function compiledText(one: Query): { text: string; params: readonly unknown[] } {
  const { text, params } = compile(one)
  return { text, params }
}

export function compile(one: Query): Compiled {
  if (one instanceof Filled) return one.compiled
  const built = one.prepare()
  const { sql: text, params } = built.getQuery()
  return { text, params, toRows: (rows) => rowsOf(built, rows) }
}

function rowsOf(built: Prepared, found: Row[]): unknown[] {
  const rows: unknown = built.mapResult({ rows: found }, true)
  return Array.isArray(rows) ? rows : []
}

/** Each column under its key, so that no two share a name. */
function aliased(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [
      key,
      is(field, Column) ? sql`${field}`.mapWith(field).as(key) : is(field, SQL) ? field.as(key) : field,
    ]),
  )
}

function bare(field: Fields[string]): SQLiteColumn | SQL {
  return is(field, SQL.Aliased) ? field.sql : field
}

/** Undoes its batch unless the condition holds at that moment; the error contains the sentence ({@link refusalIn}). */
export function refuseUnless(condition: SQL, sentence: string): Template<never> {
  // A path that does not begin with $ is an error, and SQLite quotes it (https://sqlite.org/json1.html#jpath).
  return statement(
    sql`SELECT CASE WHEN (${condition}) THEN 1 ELSE json_extract('{}', ${sentence.replaceAll("'", '’')}) END`,
  )
}

/** The sentence of the {@link refuseUnless} that undid a batch; null for any other error. */
export function refusalIn(error: unknown): string | null {
  return error instanceof Error ? (/bad JSON path: '([^']*)'/.exec(error.message)?.[1] ?? null) : null
}

/** Whether a unique index refused the statement or its batch. */
export const isDuplicate = (error: unknown): boolean => /UNIQUE constraint failed/.test(String(error))

/** The offset of a page, or of the last page if it is past the end: `total` is known only inside the statement. */
export const pageOffset = (size: number, page: number | SQL, total: SQL): SQL =>
  sql`${constant(size)} * (min(${page}, max(1, (${total} + ${constant(size - 1)}) / ${constant(size)})) - 1)`
