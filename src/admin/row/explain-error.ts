import { refusalIn } from '../../db/query.ts'
import type { Table } from '../table.ts'
import { inSentence, withArticle } from '../table-parts.ts'
import { requiredText } from './field-values.ts'
import type { FormError } from '../../web/refusal.ts'

/**
 * What the database refused, as sentences; null for an error that no row can have caused. The texts are SQLite's
 * (https://sqlite.org/src/file/src/insert.c) behind D1's prefix.
 */
export function explainError(table: Table, error: unknown): FormError[] | null {
  const sentence = refusalIn(error)
  if (sentence !== null) return [{ message: sentence }]
  const text = error instanceof Error ? error.message : ''
  const [, columns] = /UNIQUE constraint failed: (.+?)(?:: SQLITE_|$)/.exec(text) ?? []
  if (columns !== undefined) return [taken(table, columns)]
  const [, missing] = /NOT NULL constraint failed: \w+\.(\w+)/.exec(text) ?? []
  if (missing !== undefined) return [errorAt(table, missing, requiredText)]
  if (text.includes('FOREIGN KEY constraint failed')) {
    return [{ message: 'A related record does not allow this change.' }]
  }
  const [, check] = /CHECK constraint failed: (.+?)(?:: SQLITE_|$)/.exec(text) ?? []
  if (check !== undefined) return [{ message: `These values conflict: ${check}.` }]
  const [, raised] = /D1_ERROR: (.+?): SQLITE_CONSTRAINT(?:_TRIGGER)?/.exec(text) ?? []
  return raised === undefined ? null : [{ message: raised }]
}

/** "contact.kind, contact.address_key", or "index 'user_username'" where the index is on an expression. */
function taken(table: Table, columns: string): FormError {
  const names = columns.split(', ').map((column) => column.replace(/^.*\./, ''))
  const index = /^index '(\w+)'/.exec(columns)?.[1] ?? ''
  const field = table.fields.findLast(
    ({ name }) => names.includes(name) || (index !== '' && index === `${table.table}_${name}`),
  )
  if (!field) return { message: `There is already ${withArticle(table.label)} like this.` }
  const others = table.fields.filter(({ name }) => names.includes(name) && name !== field.name)
  const beside = others.length === 0 ? '' : ` and ${others.map(({ label }) => inSentence(label)).join(', ')}`
  return {
    field: field.name,
    message: `Another ${inSentence(table.label)} already has this ${inSentence(field.label)}${beside}.`,
  }
}

function errorAt(table: Table, column: string, message: string): FormError {
  return table.fields.some(({ name }) => name === column) ? { field: column, message } : { message }
}
