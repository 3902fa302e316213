import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type {
  AdminAct,
  AdminChange,
  AdminFault,
  AdminIntent,
  AdminKey,
  AdminOutcome,
  AdminPlan,
  AdminRemoval,
  AdminValue,
} from './admin-change.ts'

/*
 * How a table of the schema shows in the admin. A feature declares what the schema cannot say: labels, what is searched and
 * listed, and its functions that save and act. src/admin derives the rest from the schema: kinds, what is required, defaults,
 * references, what a delete does to other tables, and which filters an index serves.
 *
 * Search, filters and sorting see the table itself alone, because they run before the joins.
 */

export interface AdminChoice {
  value: string
  label: string
  /** A list shows it as a badge of this color. */
  tone?: 'neutral' | 'done' | 'open' | 'waitlisted' | 'danger' | 'info'
}

/**
 * Two are only for the screen, and their values JSON: `seats` is `[status, free seats, capacity]` of a section, `changes` two
 * objects as texts, `[before, after]`.
 */
export type AdminColumnKind = 'text' | 'number' | 'boolean' | 'moment' | 'choice' | 'json' | 'seats' | 'changes'

/** Where a value comes from: a column of the schema, an expression, or (neither given) the column `name` of `rows`. */
interface Source {
  column?: SQLiteColumn
  /** Read instead of the column. Correlated subqueries are fine. */
  sql?: SQL
  /** Default: the column's name in the database. */
  name?: string
}

/** A column of the list. Its name is unique among them, and stands in the address when the list is sorted by it. */
export interface AdminColumn extends Source {
  label: string
  /** Default: as the schema's column has it, else text. A choice shows its label. */
  kind?: AdminColumnKind
  /** Of a choice; a value that is not among them shows as it is. */
  choices?: readonly AdminChoice[]
  /** The list can be sorted by it: an index begins with it, as it is or in lower case. */
  isSortable?: boolean
  /** Leads to a row of another table of the admin: the one that was joined, or one by its key. */
  link?: SQLiteTable | { to: SQLiteTable; key: SQL | SQLiteColumn }
  /** Only in the export. */
  isHidden?: boolean
}

/**
 * Words looked for, as one text without regard to case. A page looks through at most 20 000 rows and then offers to look
 * further; rows with an indexed beginning are found wherever they are.
 */
export interface AdminSearch {
  /** What the field says it searches: "Name or description". */
  label: string
  /** In which the text may be anywhere. NULL is fine. A column with an index on its lower case is also found by its beginning. */
  contains: readonly (SQLiteColumn | SQL)[]
  /** More of which an index finds the beginning, each in lower case. */
  begins?: readonly (SQLiteColumn | SQL)[]
}

/** A filter of the list. Its name in the address is none of q, sort, after, before, from, until. */
export interface AdminFilter extends Source {
  label: string
  kind?: 'choice' | 'boolean' | 'reference' | 'moment'
  /** `where` instead of a comparison with the value: its partial index is found when it has exactly this condition. */
  choices?: readonly (AdminChoice & { where?: SQL })[]
  /** The table whose row is named, where no foreign key says it. Its list can link here by `?<name>=<key>`. */
  to?: SQLiteTable
  /** False: the index has too many rows of one value, in another order than the list's. */
  isIndexed?: false
}

/** What a field is where its kind is known. */
export interface AdminFieldShape {
  label: string
  help?: string
  /** The keyboard of a phone. */
  inputMode?: 'tel' | 'email' | 'url' | 'text'
}

/** A field of the form. Its name is none of csrf_token, was, act, clock. */
export interface AdminField extends Source {
  label: string
  /** What to type. Lines after the first are folded away. */
  help?: string
  /** Default: as the schema's column has it; a column with choices is a choice, a foreign key a reference. */
  kind?: 'text' | 'long_text' | 'integer' | 'boolean' | 'moment' | 'choice' | 'reference' | 'json'
  choices?: readonly AdminChoice[]
  to?: SQLiteTable
  /** Default: the column is not null (and, being text, has no default). */
  isRequired?: boolean
  /** Where a new row's form starts; default: the column's default. */
  initial?: AdminValue
  /** Shown, never written: always, or once the row is there. */
  readOnly?: 'always' | 'after_adding'
  /** Of a number its bounds, of a text its length in code points: at most 1000 in a line, 10 000 in a long text. */
  minimum?: number
  maximum?: number
  /** How it is called and typed in a row that is there, by the value of the choice beside it. */
  shapes?: { by: string; of: Readonly<Record<string, AdminFieldShape>> }
  /** What is wrong with it as a sentence, else null. Not asked of an empty value. */
  check?(value: string | number): string | null
}

/** Rows of a table that refers to this one, edited in the row's form. */
export interface AdminInline {
  /** Prefix of its fields in the form: `<name>-<key>-<field>`, and `<name>-new-<field>` for the one to add. */
  name: string
  label: string
  labels: string
  table: SQLiteTable
  fields: readonly AdminField[]
  /** Shown (and accepted) at most; default: 100. */
  maximum?: number
  mayAdd?: boolean
  mayDelete?: boolean
}

/** A block of reading on the row's page. */
export interface AdminPanel {
  heading: string
  columns: readonly AdminColumn[]
  /** A SELECT of the columns with its own LIMIT, for the row with this key. */
  rows(columns: SQL, key: AdminKey): SQL
  /** Said when there is nothing. */
  empty: string
}

/** Rows of another table that a delete removes or changes. */
export type AdminCascade = {
  /** Default: what the admin calls the rows. */
  label?: string
  /** An example's name, of the last table or one of its joins. */
  title: SQL | SQLiteColumn
  /** Default: "deleted", where the foreign keys say so; else what happens to them: "kept, without a contact". */
  fate?: string
} & (
  | {
      /** Foreign keys, each of a table that refers to the one before, the first to this one: the way to the rows. */
      through: readonly SQLiteColumn[]
      /** Only those. */
      where?: SQL
      /** Foreign keys of the last table or of a join: what titles are read from too. */
      joins?: readonly SQLiteColumn[]
    }
  /** Rows that no foreign key leads to. `key` equals the deleted row's. */
  | { label: string; from: SQL; key: SQL | SQLiteColumn }
)

interface ActionShape {
  name: string
  /** "Make manager" */
  label: string
  isDangerous?: boolean
  /** Asked first, with the chosen rows beneath. */
  confirm?: string
  /** Asked for first: a reason, a status. Never read-only, never a reference. */
  fields?: readonly AdminField[]
  /** Default: offered on the list and on the row's page. */
  on?: 'list' | 'row'
  /** A row's page offers it only while this field has one of these values; `run` decides in any case. */
  only?: { field: string; values: readonly string[] }
  /** The act that the row's page is mostly opened for. */
  isPrimary?: boolean
  /** As {@link AdminGuard}; `run` puts `mails` into its batch. */
  isGuarded?: boolean
}

/** Something done to one or up to 100 chosen rows. */
export type AdminAction<Of extends SQLiteTable = SQLiteTable> =
  /** Sets columns, and writes each row that differs into the audit. */
  | (ActionShape & { set: Partial<Of['$inferInsert']> })
  /**
   * Calls a verb of the feature and says what happened. It writes its own audit entries (`auditRows`, in the verb's batch); a
   * thrown Refusal is shown as its sentences.
   */
  | (ActionShape & { run(env: Env, act: AdminAct): Promise<string | AdminOutcome> })

/**
 * Of a table that decides who gets in and what they may do: some changes are for somebody who has shown who they are within the
 * last minutes, and the users concerned and all superusers get a mail about them.
 */
interface AdminGuard {
  /** The fields and inlines, by name, of which a change counts; of a row to add, those that are filled. */
  fields: readonly string[]
  /** Adding or deleting a row counts whatever is in it. */
  isWhole?: boolean
  /** A SELECT of the users whom rows concern, `row_key` (text) and `user_id`, from the list of the rows' keys (JSON). */
  users?(keys: string): SQL
  /** The field that names the user of a row to add; absent where the row is a user. */
  userField?: string
}

export interface AdminTable<Of extends SQLiteTable = SQLiteTable> {
  /** In the address: /admin/<name>/ */
  name: string
  /** "Recipient" and "Recipients" */
  label: string
  labels: string
  /** The heading it stands under: "Class tracker". */
  area: string
  /** What its list is called; default: `labels`. */
  heading?: string
  /** A sentence above the list. */
  about?: string
  /** A page elsewhere that adds a row more easily. */
  addsElsewhere?: { href: string; text: string }
  /** Its name in the database is also the audit's name for it. */
  table: Of
  /** A SELECT to read from instead of the table. */
  rows?: SQL
  /** A row's name for people; may use the joins. */
  title: SQL | SQLiteColumn
  /** What titles, columns and fields are read from too: the tables that these foreign keys refer to, or LEFT JOINs as written. */
  joins?: readonly (SQLiteColumn | SQL)[]
  /** The list when nothing is chosen: by key; default: newest first. */
  order?: 'oldest_first'
  /** The first one leads to the row. */
  columns: readonly AdminColumn[]
  search?: AdminSearch
  filters?: readonly AdminFilter[]
  fields: readonly AdminField[]
  inlines?: readonly AdminInline[]
  panels?: readonly AdminPanel[]
  /** Lists of other tables, of this row only: `filter` is the name of a reference filter there. */
  related?: readonly { label: string; table: string; filter: string }[]
  cascades?: readonly AdminCascade[]
  actions?: readonly AdminAction<Of>[]
  guard?: AdminGuard
  mayAdd?: boolean
  mayChange?: boolean
  mayDelete?: boolean
  /** Default: "Delete". */
  deleteLabel?: string
  /** Sentences why this may not be done, asked before anything else of every add, change and delete. */
  refuse?(env: Env, intent: AdminIntent): Promise<readonly string[]>
  /** The feature's rules for adding and changing. Without it: one INSERT or UPDATE, and those of the inlines. */
  save?(env: Env, change: AdminChange): Promise<AdminPlan>
  /** The feature's rules for removing. Without it: one DELETE. */
  remove?(env: Env, removal: AdminRemoval): Promise<AdminPlan>
  /** The feature's own words for an error of the database (its text); null or absent: ours. */
  explain?(env: Env, error: string, change: AdminChange): Promise<readonly AdminFault[] | null>
}
