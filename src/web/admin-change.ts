import type { SQL } from 'drizzle-orm'
import type { Query } from '../db/query.ts'
import type { Actor } from './audit.ts'

/*
 * What the admin asks of a feature's own functions, and what they answer.
 */

/** A value as SQLite holds it: a boolean is 0 or 1, a moment is ms since epoch, JSON is its text. */
export type AdminValue = string | number | null
export type AdminRow = Readonly<Record<string, AdminValue>>
export type AdminKey = string | number

/** Who asks for something, and when (ms). */
export interface AdminRequest {
  actor: Actor
  now: number
}

/** Something wrong with a form. */
export interface AdminFault {
  /** A field's name, or `<inline>-<key or new>-<field>`; absent: about all of it. */
  field?: string
  message: string
}

export interface AdminInlineChange {
  /** Null for one to add. */
  key: number | null
  /** Its prefix in the form without the dash behind: `contacts-12`. */
  prefix: string
  before: AdminRow | null
  values: AdminRow
  isRemoved: boolean
}

/** What a form wants. `values` holds every field by its name, the read-only ones as they are. */
export interface AdminChange extends AdminRequest {
  /** Null for a row to add. */
  key: AdminKey | null
  before: AdminRow | null
  values: AdminRow
  /** By the inline's name; those that stay as they are among them. */
  inlines: Readonly<Record<string, readonly AdminInlineChange[]>>
}

export interface AdminRemoval extends AdminRequest {
  key: AdminKey
  before: AdminRow
}

/** An add, a change or a delete, before anything is decided about it. */
export type AdminIntent = { add: AdminChange } | { change: AdminChange } | { remove: AdminRemoval }

/**
 * Refused, or the statements that do it. They run in one batch behind a check that the row is still as its form showed it and
 * before the audit entry; `refuseUnless` (src/db) among them refuses at the last moment.
 */
export type AdminPlan =
  | { faults: readonly AdminFault[] }
  | {
      statements: readonly Query[]
      /** The integer key of an added row, when not the table's largest; it binds no values. (A text key is the field of its column's name.) */
      addedKey?: SQL
      /** What to write down, when other than the fields. Secrets never. */
      audit?: { before: AdminRow | null; after: AdminRow | null }
      /** Said instead of "… was saved." */
      said?: string
      /** Once it is done: e.g. enqueue what was written. */
      afterwards?: () => Promise<unknown>
    }

/** The result of an action that is longer than a sentence: it gets a page. */
export interface AdminOutcome {
  said: string
  details: readonly { heading: string; columns: readonly string[]; rows: readonly (readonly AdminValue[])[] }[]
}

/** An action on chosen rows. */
export interface AdminAct extends AdminRequest {
  keys: readonly AdminKey[]
  /** Of the action's fields. */
  values: AdminRow
  /** For the batch of a guarded action: the mails about it. */
  mails?: readonly Query[]
}
