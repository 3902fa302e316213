import type {
  AdminAct,
  AdminChange,
  AdminFault,
  AdminOutcome,
  AdminPlan,
  AdminRemoval,
  AdminRow,
  AdminValue,
} from './admin-change.ts'
import type { AdminChoice, AdminColumnKind } from './admin-table.ts'

/* As admin-table.ts, in SQL as text, in which `t` is the row. */

/** A column of the list. */
export interface TextColumn {
  /** Unique among the columns; also its name in the address when sorted by it. */
  name: string
  label: string
  /** `t.<name>` unless told. Correlated subqueries are fine: they run for the rows of one page. */
  sql?: string
  /** text unless told. A choice shows its label. */
  kind?: AdminColumnKind
  /** Of a choice; a value that is not among them shows as it is. */
  choices?: readonly AdminChoice[]
  /**
   * SQL on `t` to sort by: an index must begin with exactly this expression, and it may not be NULL. A column without it is not
   * sortable. (The key is always there: the order when nothing is chosen.)
   */
  sort?: string
  /** Leads to a row of another table of the admin. `key` is SQL, may use the joins. */
  link?: { table: string; key: string }
  /** Only in the export. */
  isHidden?: boolean
}

/**
 * Words looked for, as one text without regard to case. A page looks through at most 20 000 rows and then offers to look
 * further; rows with an indexed beginning are found wherever they are.
 */
export interface TextSearch {
  /** What the field says it searches: "Name or description". */
  label: string
  /** SQL on `t` (subqueries allowed) in which the text may be anywhere. NULL is fine. */
  contains: readonly string[]
  /** SQL on `t` in lower case, each with an index on exactly this expression: `lower(t.username)`. */
  begins?: readonly string[]
}

interface FilterShape {
  /** Its name in the address: none of q, sort, after, before, from, until. */
  name: string
  label: string
  /**
   * An index begins with `sql` (or, for a choice with `where`, is partial on it), so that the rows of one value come in the
   * order of the key. Without it a page looks through at most 20 000 rows.
   */
  isIndexed?: boolean
}

export type TextFilter =
  /** `where` is SQL on `t` instead of `sql = value`. */
  | (FilterShape & { kind: 'choice'; sql?: string; choices: readonly (AdminChoice & { where?: string })[] })
  | (FilterShape & { kind: 'boolean'; sql?: string })
  /** The rows of one row of another table of the admin. Its list can link here by `?<name>=<key>`. */
  | (FilterShape & { kind: 'reference'; sql?: string; to: string })
  /** From a day to a day. */
  | (FilterShape & { kind: 'moment'; sql?: string })

interface FieldShape {
  /** Its name in forms, audit and values; the column it is written to unless `save` writes. None of csrf_token, was, act, clock. */
  name: string
  label: string
  help?: string
  /** SQL to read it, `t.<name>` unless told; may use the joins. */
  sql?: string
  /** Empty is refused. Empty otherwise: '' for text, null for the rest (and for text with `emptyIsNull`). */
  isRequired?: boolean
  emptyIsNull?: boolean
  /** Shown, never written: always, or once the row is there. */
  readOnly?: 'always' | 'after_adding'
  /** Where a new row's form starts. */
  initial?: AdminValue
  /** What is wrong with it as a sentence, else null. Not asked of an empty value. */
  check?(value: string | number): string | null
}

export type TextField =
  /** One line. Lengths in code points; at most 1000 unless told. */
  | (FieldShape & { kind: 'text'; minimum?: number; maximum?: number })
  /** At most 10 000 code points unless told. */
  | (FieldShape & { kind: 'long_text'; minimum?: number; maximum?: number })
  | (FieldShape & { kind: 'integer'; minimum?: number; maximum?: number })
  | (FieldShape & { kind: 'boolean' })
  | (FieldShape & { kind: 'moment' })
  | (FieldShape & { kind: 'choice'; choices: readonly AdminChoice[] })
  /** A row of another table of the admin, found by its search. */
  | (FieldShape & { kind: 'reference'; to: string })
  /** Text that must be JSON; `check` gets it as text. At most 10 000 code points unless told. */
  | (FieldShape & { kind: 'json'; maximum?: number })

/** Rows that belong to the row and are edited in its form. */
export interface TextInline {
  /** Prefix of its fields in the form: `<name>-<key>-<field>`, and `<name>-new-<field>` for the one to add. */
  name: string
  label: string
  labels: string
  table: string
  /** `id` unless told; an integer. */
  key?: string
  /** The column that holds the row's key. */
  parent: string
  fields: readonly TextField[]
  /** Shown (and accepted) at most; 100 unless told. */
  maximum?: number
  mayAdd?: boolean
  mayDelete?: boolean
}

/** A block of reading on the row's page. */
export interface TextPanel {
  heading: string
  /** A SELECT with its own LIMIT; ?1 is the row's key. Its columns are named as in `columns`. */
  sql: string
  columns: readonly Pick<TextColumn, 'name' | 'label' | 'kind' | 'choices'>[]
  /** Said when there is nothing. */
  empty: string
}

/** What a delete takes along. */
export interface TextCompany {
  /** "alerts" */
  label: string
  /** "class_alert a JOIN opening o ON …" */
  from: string
  /** SQL that equals the deleted row's key; indexed. */
  key: string
  /** SQL of an example's name. */
  title: string
  /** "deleted" unless told; else what becomes of them: "kept, without a contact". */
  fate?: string
}

interface ActionShape {
  name: string
  /** "Make manager" */
  label: string
  isDangerous?: boolean
  /** Asked first, with the chosen rows beneath. */
  confirm?: string
  /** Asked for first: a reason, a status. Never read-only, never a reference. */
  fields?: readonly TextField[]
  /** Offered on the list and on the row's page unless told. */
  on?: 'list' | 'row'
  /** As {@link TextGuard}; `run` puts `along` into its batch. */
  isGuarded?: boolean
}

/** Something done to one or up to 100 chosen rows. */
export type TextAction =
  /** Sets columns, and writes each row that differs into the audit. */
  | (ActionShape & { set: AdminRow })
  /**
   * Calls a verb of the feature and says what happened. It writes its own audit entries (`auditStatement`, in the verb's
   * batch); a thrown Refusal is shown as its sentences.
   */
  | (ActionShape & { run(env: Env, act: AdminAct): Promise<string | AdminOutcome> })

/**
 * Of a table that decides who gets in and what they may do: some changes are for somebody who has shown who they are within the
 * last minutes, and the users concerned and all superusers get a mail about them.
 */
export interface TextGuard {
  /** The fields and inlines, by name, of which a change counts; of a row to add, those that are filled. */
  fields: readonly string[]
  /** Adding or deleting a row counts whatever is in it. */
  isWhole?: boolean
  /** A SELECT of the users whom rows concern, `row_key` (text) and `user_id`; ?1 is the list of the rows' keys (JSON). */
  users?: string
  /** The field that names the user of a row to add; absent where the row is a user. */
  userField?: string
}

export interface TextTable {
  /** In the address: /admin/<name>/ */
  name: string
  /** "Recipient" and "Recipients" */
  label: string
  labels: string
  /** The heading it stands under: "Class tracker". */
  area: string
  /** A sentence above the list. */
  about?: string
  /** The SQL table; also the audit's name for it. */
  table: string
  /** A SELECT to read from instead of the table. */
  rows?: string
  /** `id`, an integer, unless told. */
  key?: { column: string; kind: 'integer' | 'text' }
  /** SQL of a row's name for people; may use the joins. */
  title: string
  /** LEFT JOINs for titles, columns and fields. */
  join?: string
  /** The list when nothing is chosen: by key, newest first unless told. */
  order?: 'oldest_first'
  /** The first one leads to the row. */
  columns: readonly TextColumn[]
  search?: TextSearch
  filters?: readonly TextFilter[]
  fields: readonly TextField[]
  inlines?: readonly TextInline[]
  panels?: readonly TextPanel[]
  /** Lists of other tables, of this row only: `filter` is the name of a reference filter there. */
  related?: readonly { label: string; table: string; filter: string }[]
  goesWith?: readonly TextCompany[]
  actions?: readonly TextAction[]
  guard?: TextGuard
  mayAdd?: boolean
  mayChange?: boolean
  mayDelete?: boolean
  /** "Delete" unless told. */
  deleteLabel?: string
  /** Sentences why this may not be done, asked before anything else of every add, change (`change.key`) and delete. */
  refuse?(
    env: Env,
    act: { add: AdminChange } | { change: AdminChange } | { remove: AdminRemoval },
  ): Promise<readonly string[]>
  /** The feature's rules for adding and changing. Without it: one INSERT or UPDATE, and those of the inlines. */
  save?(env: Env, change: AdminChange): Promise<AdminPlan>
  /** The feature's rules for removing. Without it: one DELETE. */
  remove?(env: Env, removal: AdminRemoval): Promise<AdminPlan>
  /** The feature's own words for an error of the database (its text); null or absent: ours. */
  explain?(env: Env, error: string, change: AdminChange): Promise<readonly AdminFault[] | null>
}
