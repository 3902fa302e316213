import type { AdminKey } from '../../web/admin-change.ts'
import type { Table, Tables } from '../table.ts'

/** Rows that were ticked, with the form that says what to do with them. */
export interface Chosen {
  tables: Tables
  table: Table
  keys: readonly AdminKey[]
  form: FormData
  /** The page to go back to. */
  back: string
}
