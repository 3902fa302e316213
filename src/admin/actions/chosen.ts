import type { AdminKey, AdminTable } from '../../web/admin-table.ts'
import type { Tables } from '../table-parts.ts'

/** Rows that were ticked, with the form that says what to do with them. */
export interface Chosen {
  tables: Tables
  table: AdminTable
  keys: readonly AdminKey[]
  form: FormData
  /** The page to go back to. */
  back: string
}
