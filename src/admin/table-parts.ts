import type { AdminKey } from '../web/admin-change.ts'
import type { AdminTable } from '../web/admin-table.ts'
import { positiveInteger } from '../web/parse.ts'
import { notFound, type Refusal } from '../web/refusal.ts'
import type { Table, Tables } from './table.ts'

/** @throws notFound */
export function tableOf(tables: Tables, name: string | undefined): Table {
  const table = tables.get(name ?? '')
  if (!table) throw notFound()
  return table
}

/** A key from an address; null when it cannot be one. */
export function parseKey(table: Table, text: string | undefined): AdminKey | null {
  if (table.keyKind === 'integer') return positiveInteger(text)
  return text === undefined || text === '' || text.length > 200 ? null : text
}

export const listPath = ({ name }: Pick<Table, 'name'>): string => `/admin/${name}/`
export const actPath = (table: Pick<Table, 'name'>): string => `${listPath(table)}act/`
export const rowPath = (table: Pick<Table, 'name'>, key: AdminKey): string =>
  `${listPath(table)}${encodeURIComponent(key)}/`

export const addPath = (table: Pick<Table, 'name'>): string => `${listPath(table)}add/`
/** Where the form of a row, or of a row to add, is shown and sent. */
export const formPath = (table: Pick<Table, 'name'>, key: AdminKey | null): string =>
  key === null ? addPath(table) : rowPath(table, key)

/** What several rows are called. */
export const labelsOf = ({ label, labels = `${label}s` }: Pick<AdminTable, 'label' | 'labels'>): string => labels

/** The name of a row: its title, or without one its kind and key. */
export const nameOf = (table: Table, key: AdminKey, title: string | null): string => title || `${table.label} ${key}`

export const noSuchRow = (table: Table, key: AdminKey): Refusal =>
  notFound(`There is no ${inSentence(table.label)} ${key}.`)

/** "a recipient", "an alert", "a user": for sentences. */
export function withArticle(label: string): string {
  const name = inSentence(label)
  return `${/^(?!use)[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}

/** A label inside a sentence: names that are all capitals stay. */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) && !label.startsWith('Discord')
    ? label.charAt(0).toLowerCase() + label.slice(1)
    : label
}

/** The label of a value in the database: "Created" for created_at, "Recipient" for recipient_id, "Re-queued". */
export function inWords(name: string): string {
  const words = name.replace(/^is_|_(?:id|at)$/g, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
