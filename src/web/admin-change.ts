import type { SQL } from 'drizzle-orm'
import type { Query, Writer } from '../db/query.ts'
import type { Actor } from './audit.ts'
import type { FormError } from './refusal.ts'

/* What the admin asks of a feature's own functions, and what they return. */

/** A value as SQLite stores it: a boolean is 0 or 1, a time is ms since epoch, JSON is its text. */
export type AdminValue = string | number | null
export type AdminRow = Readonly<Record<string, AdminValue>>
export type AdminKey = string | number

/** Who is asking, and when (ms). */
export interface AdminRequest {
  actor: Actor
  now: number
}

export interface AdminInlineChange {
  /** The key of an existing row; null for a new one. */
  key: number | null
  /** The prefix of its fields in the form, without the trailing dash: `contacts-12`. */
  prefix: string
  before: AdminRow | null
  values: AdminRow
  isRemoved: boolean
}

/** What a form submits. `values` has every field by name; read-only fields keep their stored values. */
export interface AdminChange extends AdminRequest {
  key: AdminKey | null
  before: AdminRow | null
  values: AdminRow
  /** The inline rows by the inline's name, unchanged ones included. */
  inlines: Readonly<Record<string, readonly AdminInlineChange[]>>
}

export interface AdminRemoval extends AdminRequest {
  key: AdminKey
  before: AdminRow
}

/** An add, a change or a delete, before anything has been decided about it. */
export type AdminIntent = { add: AdminChange } | { change: AdminChange } | { remove: AdminRemoval }

/**
 * Either the errors, or the statements to run. They run in one batch, after a check that the row is still as its form
 * showed it and before the audit entry; a `refuseUnless` (src/db) among them can still refuse.
 */
export type AdminPlan =
  | { errors: readonly FormError[] }
  | {
      statements: readonly Query[]
      /** The integer key of an added row, if it is not the table's largest; it binds no values. */
      addedKey?: SQL
      /** Fields that are written otherwise than they were typed, for the audit entry. */
      written?: AdminRow
      /** What the audit entry records, if not the fields. Never secrets. */
      audit?: { before: AdminRow | null; after: AdminRow | null }
      /** Shown instead of "… was saved." */
      message?: string
      /** Runs after the batch, for example to enqueue what was written. */
      afterwards?: () => Promise<unknown>
    }

/** The result of an action that is longer than a sentence; it gets its own page. */
export interface AdminOutcome {
  message: string
  details: readonly { heading: string; columns: readonly string[]; rows: readonly (readonly AdminValue[])[] }[]
}

/** An action on selected rows. */
export interface AdminAct extends AdminRequest {
  keys: readonly AdminKey[]
  values: AdminRow
  /**
   * Writes the action's statements in one batch, beside a check that the actor is still a superuser and the emails about
   * a guarded action.
   */
  write: Writer
}
