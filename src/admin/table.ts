import { type SQL, sql } from 'drizzle-orm'
import { statement } from '../db/query.ts'
import type { AdminAct, AdminKey, AdminOutcome, AdminValue } from '../web/admin-change.ts'
import type {
  AdminAction,
  AdminChoice,
  AdminColumn,
  AdminColumnKind,
  AdminField,
  AdminFilter,
  AdminInline,
  AdminPanel,
  AdminTable,
} from '../web/admin-table.ts'

/* A table of the admin as its pages use it: what a feature declared, completed from the schema. */

/** What every value has: its name, what it is called, and the expression that reads it. */
interface Named {
  name: string
  label: string
  sql: SQL
}

export interface Column extends Named, Pick<AdminColumn, 'choices' | 'isHidden' | 'isBesideFirst'> {
  kind: AdminColumnKind
  /** The expression of an index that orders the rows; absent: not sortable. */
  sort?: SQL
  /** The admin's name of a table, and the key of a row there. */
  link?: { table: string; key: SQL }
}

interface FilterShape extends Named {
  /** An index finds the rows of one value. */
  isIndexed: boolean
}

export type Filter =
  | (FilterShape & { kind: 'choice'; choices: NonNullable<AdminFilter['choices']> })
  | (FilterShape & { kind: 'boolean' })
  | (FilterShape & { kind: 'moment' })
  | (FilterShape & { kind: 'reference'; to: string })

interface FieldShape extends Named, Pick<AdminField, 'help' | 'readOnly' | 'initial' | 'check' | 'shapes'> {
  isRequired: boolean
  /** An empty field is null instead of an empty text. */
  emptyIsNull: boolean
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

export interface Inline extends Stored, Omit<Required<AdminInline>, 'table' | 'fields'> {
  /** The column that holds the key of the row it belongs to. */
  parent: string
  fields: readonly Field[]
}

export type Panel = Omit<AdminPanel, 'columns'> & { columns: readonly Column[] }

/** A link to the list of another table, by the admin's name, filtered to a row. */
export interface Related {
  label: string
  table: string
  filter: string
}

/** Rows of another table that a delete removes or changes. */
export interface Cascade {
  label: string
  effect: string
  from: SQL
  where?: SQL
  /** Equals the deleted row's key. */
  key: SQL
  title: SQL
}

type Acting =
  | { set: readonly { name: string; value: AdminValue }[] }
  | { run(env: Env, act: AdminAct): Promise<string | AdminOutcome> }
export type Action = Omit<AdminAction, 'label' | 'fields' | 'only' | 'set' | 'run'> & {
  label: string
  fields: readonly Field[]
  /** Whether a row's page offers it. */
  isOffered: SQL
} & Acting

type AsWritten =
  | 'name'
  | 'label'
  | 'heading'
  | 'about'
  | 'addsElsewhere'
  | 'rows'
  | 'order'
  | 'guard'
  | 'refuse'
  | 'save'
  | 'remove'
  | 'explain'
type WithDefault = 'labels' | 'mayAdd' | 'mayChange' | 'mayDelete' | 'deleteLabel'

export interface Table extends Stored, Pick<AdminTable, AsWritten>, Required<Pick<AdminTable, WithDefault>> {
  area: string
  keyKind: 'integer' | 'text'
  title: SQL
  join: SQL
  columns: readonly Column[]
  search?: { label: string; contains: readonly SQL[]; begins: readonly SQL[] }
  filters: readonly Filter[]
  fields: readonly Field[]
  inlines: readonly Inline[]
  panels: readonly Panel[]
  related: readonly Related[]
  cascades: readonly Cascade[]
  actions: readonly Action[]
}

/** A link to a table: its name, what its rows are called, and the heading above it. */
export type Place = Pick<Table, 'name' | 'labels' | 'area'>

/** Every table of the admin, by its name. */
export interface Tables {
  readonly places: readonly Place[]
  get(name: string): Table | undefined
  values(): readonly Table[]
}

/** What is read under the table's own name: the table, or a SELECT in its place. */
export function rowsOf({ table, rows }: Pick<Table, 'table' | 'rows'>): SQL {
  const name = sql.identifier(table)
  return rows ? sql`(${rows}) AS ${name}` : sql`${name}`
}

/** The key of a row that is read. */
export const keyOf = ({ table, key }: Stored): SQL<AdminKey> =>
  sql<AdminKey>`${sql.identifier(table)}.${sql.identifier(key)}`

/** Expressions separated by commas, for a list of columns or an ORDER BY. */
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

/** For a statement of a batch that is not needed. */
export const emptyStatement = statement(sql`SELECT 1 WHERE false`)
