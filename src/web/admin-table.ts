import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type {
  AdminAct,
  AdminChange,
  AdminIntent,
  AdminKey,
  AdminOutcome,
  AdminPlan,
  AdminRemoval,
  AdminValue,
} from './admin-change.ts'
import type { FormError } from './refusal.ts'

/* How the admin shows a table of the schema. A feature declares what the schema cannot say: labels, what is searched
   and listed, and its functions that save and act. src/admin derives the rest from the schema: kinds, required
   fields, defaults, references, what a delete does to other tables, and which filters have an index.
   Search, filters and sorting run before the joins, so their expressions can only use the table's own columns. A
   column of a table that a foreign key in `joins` leads to is looked up by that key. */

export interface AdminChoice {
  value: string
  label: string
  /** A list shows the value as a badge of this color. */
  tone?: 'neutral' | 'done' | 'open' | 'waitlisted' | 'unknown' | 'danger' | 'info'
}

/**
 * The kind of a value. Three kinds are display-only: `state` is a choice that depends on the present; the others hold
 * JSON, `seats` `[status, free seats, capacity]` of a section and `changes` `[before, after]`, two objects as text.
 */
export type AdminColumnKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'moment'
  | 'choice'
  | 'json'
  | 'seats'
  | 'changes'
  | 'state'

/** Where a value comes from: a column, an expression, or (if neither is given) the column `name` of `rows`. */
export interface AdminEntry {
  column?: SQLiteColumn
  /** The expression to read instead of the column. Correlated subqueries are fine. */
  sql?: SQL
  /** Default: the column's name in the database. */
  name?: string
  /** Default: for the list and its filters, that of the field with the same name; otherwise the name in words. */
  label?: string
  /** The labels of a choice; a value without one is shown unchanged. Default: as for `label`. */
  choices?: readonly AdminChoice[]
}

/** Its name must be unique in the list, and appears in the address when the list is sorted by it. */
export interface AdminColumn extends AdminEntry {
  /** Default: the kind of the schema's column, else text. A choice shows its label. */
  kind?: AdminColumnKind
  /**
   * Whether the list can be sorted by it; an index must begin with it, unchanged or in lower case. Default: by when
   * its rows were added, which is the order of their keys.
   */
  isSortable?: boolean
  /** Links to a row of another admin table: the joined one, or one by its key. */
  link?: SQLiteTable | { to: SQLiteTable; key: SQL | SQLiteColumn }
  isHidden?: boolean
  /** Whether the list shows it in the cell of the first column, after its value. */
  isBesideFirst?: boolean
}

/**
 * A search for words as one text, ignoring case. A page looks through at most 20 000 rows and then offers to continue;
 * rows whose indexed column begins with the text are found anywhere.
 */
export interface AdminSearch {
  /** What the field says it searches, such as "Name or description". */
  label: string
  /** Columns that may contain the text; one of the table itself with an index on its lower case also by prefix. */
  contains: readonly (SQLiteColumn | SQL)[]
  /** More columns, searched only by prefix through an index, each in lower case. */
  begins?: readonly (SQLiteColumn | SQL)[]
}

/** A filter of the list. Its name in the address must not be q, sort, after, before, from or until. */
export interface AdminFilter extends AdminEntry {
  kind?: 'choice' | 'boolean' | 'reference' | 'moment'
  /** `where` replaces the comparison with the value: a partial index needs exactly its condition. */
  choices?: readonly (AdminChoice & { where?: SQL })[]
  /** The table that the value refers to, if no foreign key says so. Its list can link here with `?<name>=<key>`. */
  to?: SQLiteTable
  /** False if the index has too many rows with one value, in a different order from the list's. */
  isIndexed?: false
}

export interface AdminFieldShape {
  label: string
  help?: string
  inputMode?: 'tel' | 'email' | 'url' | 'text'
}

/** A field of the form. Its name must not be csrf_token, was, act or clock. */
export interface AdminField extends AdminEntry {
  /** Help text. Lines after the first are collapsed. */
  help?: string
  /** Default: the kind of the schema's column; a column with choices is a choice, a foreign key a reference. */
  kind?: 'text' | 'long_text' | 'integer' | 'boolean' | 'moment' | 'choice' | 'reference' | 'json'
  to?: SQLiteTable
  /** Default: required if the column is not null (and, for text, has no default). */
  isRequired?: boolean
  /** The initial value in a new row's form; default: the column's default. */
  initial?: AdminValue
  /** Whether it is shown but never written: always, or once the row exists; `kept_fresh`: by then it changes by itself. */
  readOnly?: 'always' | 'after_adding' | 'kept_fresh'
  /** Of a number, or of a text's code points; default: at most 1000 for a line, 10 000 for a long text. */
  minimum?: number
  maximum?: number
  /** Its label and input type in an existing row, by the value of the choice beside it. */
  shapes?: { by: string; of: Readonly<Record<string, AdminFieldShape>> }
  /** Returns an error sentence, or null if the value is fine. Not called for an empty value. */
  check?(value: string | number): string | null
}

/** Rows of a table that refers to this one, edited in this row's form. */
export interface AdminInline {
  /** The prefix of its fields in the form: `<name>-<key>-<field>`, and `<name>-new-<field>` for a new row. */
  name: string
  label: string
  /** Default: the label with an s. */
  labels?: string
  table: SQLiteTable
  fields: readonly (AdminField | SQLiteColumn)[]
  /** How many rows are shown (and accepted) at most; default: 100. */
  maximum?: number
  mayAdd?: boolean
  mayDelete?: boolean
}

/** A read-only section of the row's page. */
export interface AdminPanel {
  heading: string
  columns: readonly (AdminColumn | SQLiteColumn)[]
  /** A SELECT of the columns with its own LIMIT, for the row with this key. */
  rows(columns: SQL, key: AdminKey): SQL
  /** Shown instead of a table without rows; default: the heading says that there are none. */
  empty?: string
}

/** Rows of another table that a delete removes or changes. */
export type AdminCascade = {
  /** Default: the admin's label for the rows. */
  label?: string
  /** An example row's title, from the last table or one of its joins. */
  title: SQL | SQLiteColumn
  /** What happens to the rows, such as "kept, without a contact"; default: "deleted", if the foreign keys say so. */
  effect?: string
} & (
  | {
      /** Foreign keys that lead to the rows: the first refers to this table, each other to the one before it. */
      through: readonly SQLiteColumn[]
      where?: SQL
      /** Foreign keys of the last table or of a join, whose tables titles may also use. */
      joins?: readonly SQLiteColumn[]
    }
  /** Rows that no foreign key leads to. Their `key` equals the deleted row's key. */
  | { label: string; from: SQL; key: SQL | SQLiteColumn }
)

interface ActionShape {
  name: string
  /** The button's label; default: its name in words, such as "Make manager". */
  label?: string
  isDangerous?: boolean
  /** The confirmation question, shown above the selected rows. */
  confirm?: string
  /** Sentences about effects on these rows that a person must confirm first; often none. */
  warnings?(db: D1Database, keys: readonly AdminKey[]): Promise<readonly string[]>
  /** Fields to fill in first, such as a reason or a status. Never read-only, never a reference. */
  fields?: readonly (AdminField | SQLiteColumn)[]
  /** Default: offered on the list and on the row's page. */
  on?: 'list' | 'row'
  /** A row's page offers it only while this is true, and one that sets columns only if it changes one. `run` checks. */
  only?: SQL
  /** Whether it is the main reason for opening the row's page. */
  isPrimary?: boolean
  /** Guarded as in {@link AdminGuard}; its emails are written only if `run` writes by `write`. */
  isGuarded?: boolean
}

/** An action on one row or up to 50 selected rows. */
export type AdminAction<Of extends SQLiteTable = SQLiteTable> =
  /** Sets columns, and audits each row that changes. */
  | (ActionShape & { set: Partial<Of['$inferInsert']> })
  /** It writes its own audit entries (`auditRows`, in its batch); a thrown Refusal's sentences are shown. */
  | (ActionShape & { run(env: Env, act: AdminAct): Promise<string | AdminOutcome> })

/**
 * For a table that decides who can log in and what they may do: some changes require a user who confirmed their
 * identity within the last few minutes, and the affected users and all superusers get an email about them.
 */
interface AdminGuard {
  /** The names of the fields and inlines that are guarded; in a new row, those that are filled in. */
  fields: readonly string[]
  /** Whether adding or deleting a row is guarded whatever it contains. */
  isWhole?: boolean
  /** A SELECT of the users that rows concern, as `row_key` (text) and `user_id`, from a JSON list of row keys. */
  users?(keys: string): SQL
  /** The field that names the user in a new row; absent if the row is a user. */
  userField?: string
}

/** A link to the list of another table, filtered to this row. An entry may be just the column that refers to it. */
export interface AdminRelated {
  table: SQLiteTable
  /** The name of a reference filter there. */
  filter: string
  /** Default: what the rows are called. */
  label?: string
}

/** Tables under one heading of the front page: "Class Tracker". */
export interface AdminArea {
  area: string
  tables: readonly AdminTable[]
}

export interface AdminTable<Of extends SQLiteTable = SQLiteTable> {
  /** Its part of the address: /admin/<name>/ */
  name: string
  /** What a row is called, and several; default for several: with an s. */
  label: string
  labels?: string
  /** The title of its list; default: `labels`. */
  heading?: string
  about?: string
  /** A page elsewhere that is an easier way to add a row. */
  addsElsewhere?: { href: string; text: string }
  /** Its name in the database, which is also its name in the audit log. */
  table: Of
  /** A SELECT to read from instead of the table. */
  rows?: SQL
  /** A row's title; may use the joins. */
  title: SQL | SQLiteColumn
  /** What else titles, columns and fields may read: the tables of these foreign keys, or LEFT JOINs as written. */
  joins?: readonly (SQLiteColumn | SQL)[]
  /** The default order of the list: by key; default: newest first. */
  order?: 'oldest_first'
  /** The list's columns. The first one links to the row. An entry may be just a column. */
  columns: readonly (AdminColumn | SQLiteColumn)[]
  search?: AdminSearch
  filters?: readonly (AdminFilter | SQLiteColumn)[]
  /** Only shown if rows can be neither added nor changed. */
  fields: readonly (AdminField | SQLiteColumn)[]
  inlines?: readonly AdminInline[]
  panels?: readonly AdminPanel[]
  related?: readonly (AdminRelated | SQLiteColumn)[]
  cascades?: readonly AdminCascade[]
  actions?: readonly AdminAction<Of>[]
  guard?: AdminGuard
  mayAdd?: boolean
  mayChange?: boolean
  mayDelete?: boolean
  /** The button's label; default: "Delete". */
  deleteLabel?: string
  /** Reasons why a change may not be made; checked before every add, change and delete. */
  refuse?(env: Env, intent: AdminIntent): Promise<readonly string[]>
  /** The feature's rules for adding and changing. Default: one INSERT or UPDATE, plus those of the inlines. */
  save?(env: Env, change: AdminChange): Promise<AdminPlan>
  /** The feature's rules for deleting. Default: one DELETE. */
  remove?(env: Env, removal: AdminRemoval): Promise<AdminPlan>
  /** The feature's wording for a database error (given as its text); null or absent: the admin's own wording. */
  explain?(env: Env, error: string, change: AdminChange): Promise<readonly FormError[] | null>
}
