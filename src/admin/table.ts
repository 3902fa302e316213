import { type SQL, sql } from 'drizzle-orm'
import type { AdminAct, AdminKey, AdminOutcome, AdminValue } from '../web/admin-change.ts'
import type { AdminChoice, AdminColumnKind, AdminGuard, AdminTable } from '../web/admin-table.ts'

/*
 * A table of the admin as its pages use it: what a feature declared, completed by what the schema says.
 */

export interface Column {
  name: string
  label: string
  sql: SQL
  kind: AdminColumnKind
  choices?: readonly AdminChoice[]
  /** What an index has the rows in the order of; absent: not sortable. */
  sort?: SQL
  /** The admin's name of a table, and the key of a row there. */
  link?: { table: string; key: SQL }
  isHidden?: boolean
}

interface FilterShape {
  name: string
  label: string
  sql: SQL
  /** An index finds the rows of one value. */
  isIndexed: boolean
}

export type Filter =
  | (FilterShape & { kind: 'choice'; choices: readonly (AdminChoice & { where?: SQL })[] })
  | (FilterShape & { kind: 'boolean' })
  | (FilterShape & { kind: 'moment' })
  | (FilterShape & { kind: 'reference'; to: string })

interface FieldShape {
  name: string
  label: string
  help?: string
  sql: SQL
  isRequired: boolean
  /** Nothing typed is null, rather than an empty text. */
  emptyIsNull: boolean
  readOnly?: 'always' | 'after_adding'
  initial?: AdminValue
  check?(value: string | number): string | null
}

export type Field =
  | (FieldShape & { kind: 'text' | 'long_text' | 'json' | 'integer'; minimum?: number; maximum?: number })
  | (FieldShape & { kind: 'boolean' | 'moment' })
  | (FieldShape & { kind: 'choice'; choices: readonly AdminChoice[] })
  /** `to`: the admin's name of the table. */
  | (FieldShape & { kind: 'reference'; to: string })

/** Something that rows are read from and written to. */
export interface Stored {
  /** Its name in the database; also the audit's name for it. */
  table: string
  /** The column of its key. */
  key: string
}

export interface Inline extends Stored {
  name: string
  label: string
  labels: string
  /** The column that holds the key of the row it belongs to. */
  parent: string
  fields: readonly Field[]
  maximum: number
  mayAdd: boolean
  mayDelete: boolean
}

export interface Panel {
  heading: string
  columns: readonly Column[]
  /** A SELECT of the columns for the row with this key. */
  rows(columns: SQL, key: AdminKey): SQL
  empty: string
}

/** Rows of another table that a delete removes or changes. */
export interface Cascade {
  label: string
  fate: string
  from: SQL
  where?: SQL
  /** Equals the deleted row's key. */
  key: SQL
  title: SQL
}

interface ActionShape {
  name: string
  label: string
  isDangerous?: boolean
  confirm?: string
  fields: readonly Field[]
  on?: 'list' | 'row'
  isGuarded?: boolean
}

export type Action =
  | (ActionShape & { set: readonly { name: string; value: AdminValue }[] })
  | (ActionShape & { run(env: Env, act: AdminAct): Promise<string | AdminOutcome> })

export interface Table extends Stored, Pick<AdminTable, 'refuse' | 'save' | 'remove' | 'explain'> {
  name: string
  label: string
  labels: string
  area: string
  about?: string
  /** A SELECT to read from instead of the table. */
  rows?: SQL
  keyKind: 'integer' | 'text'
  title: SQL
  join: SQL
  order?: 'oldest_first'
  columns: readonly Column[]
  search?: { label: string; contains: readonly SQL[]; begins: readonly SQL[] }
  filters: readonly Filter[]
  fields: readonly Field[]
  inlines: readonly Inline[]
  panels: readonly Panel[]
  related: readonly { label: string; table: string; filter: string }[]
  cascades: readonly Cascade[]
  actions: readonly Action[]
  guard?: AdminGuard
  mayAdd: boolean
  mayChange: boolean
  mayDelete: boolean
  deleteLabel: string
}

/** Every table of the admin, by its name. */
export interface Tables {
  get(name: string): Table | undefined
  has(name: string): boolean
  keys(): readonly string[]
  values(): readonly Table[]
}

/** What is read, under the table's own name: the table itself, or the SELECT that stands for it. */
export function rowsOf({ table, rows }: Pick<Table, 'table' | 'rows'>): SQL {
  const name = sql.identifier(table)
  return rows ? sql`(${rows}) AS ${name}` : sql`${name}`
}

/** The key of a row that is read. */
export const keyOf = ({ table, key }: Stored): SQL<AdminKey> =>
  sql<AdminKey>`${sql.identifier(table)}.${sql.identifier(key)}`

/** Expressions one behind the other, for a list of columns or an ORDER BY. */
export const listOf = (expressions: readonly SQL[]): SQL => sql.join([...expressions], sql`, `)

/** All of the conditions; true for none. */
export const allOf = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0
    ? sql`true`
    : sql.join(
        conditions.map((condition) => sql`(${condition})`),
        sql` AND `,
      )

/** `WHERE` all of the conditions; nothing for none. */
export const where = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`` : sql`WHERE ${allOf(conditions)}`

/** A number of ours inside a statement. */
export const constant = (figure: number): SQL => sql.raw(String(figure))
