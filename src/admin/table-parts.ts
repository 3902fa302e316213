import type { AdminColumn, AdminFilter, AdminKey, AdminTable } from '../web/admin-table.ts'
import { positiveInteger } from '../web/parse.ts'
import { notThere } from '../web/refusal.ts'

/** Every table of the admin, by its name. */
export type Tables = ReadonlyMap<string, AdminTable>

/** @throws notThere */
export function tableOf(tables: Tables, name: string | undefined): AdminTable {
  const table = tables.get(name ?? '')
  if (!table) throw notThere()
  return table
}

export function keyOf({ key }: AdminTable): { column: string; kind: 'integer' | 'text' } {
  return key ?? { column: 'id', kind: 'integer' }
}

/** A key as it stands in an address; null when it can be none. */
export function parseKey(table: AdminTable, text: string | undefined): AdminKey | null {
  if (keyOf(table).kind === 'integer') return positiveInteger(text)
  return text === undefined || text === '' || text.length > 200 ? null : text
}

/** What is read: the table itself, or the SELECT that stands for it. */
export function rowsOf({ table, rows }: AdminTable): string {
  return rows === undefined ? table : `(${rows})`
}

export const sqlOf = ({ name, sql }: Pick<AdminColumn | AdminFilter, 'name'> & { sql?: string }): string =>
  sql ?? `t.${name}`

export const listPath = ({ name }: Pick<AdminTable, 'name'>): string => `/admin/${name}/`
export const actPath = (table: Pick<AdminTable, 'name'>): string => `${listPath(table)}act/`
export const rowPath = (table: Pick<AdminTable, 'name'>, key: AdminKey): string =>
  `${listPath(table)}${encodeURIComponent(key)}/`

/** What a row is called: its title, or where it has none its kind and key. */
export const nameOf = (table: AdminTable, key: AdminKey, title: string | null): string =>
  title || `${table.label} ${key}`

/** "a recipient", "an alert": for sentences. */
export function withArticle(label: string): string {
  const name = inSentence(label)
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}

/** A label inside a sentence: names that are all capitals stay. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) && !label.startsWith('Discord')
    ? label.charAt(0).toLowerCase() + label.slice(1)
    : label
}
