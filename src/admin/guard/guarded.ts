import { truncated } from '../../lib/text.ts'
import type { AdminValue } from '../../web/admin-change.ts'
import type { Affected } from '../row/remove-rows.ts'
import type { RowChanges } from '../row/row-changes.ts'
import type { Field, Table } from '../table.ts'

/** A deletion of more rows than this, including those deleted with them, is a bulk deletion. */
const MAX_ROWS_UNGUARDED = 100

/** Whether adding a row, or changing one in this way, is guarded. */
export function isGuardedChange({ guard }: Table, isAdded: boolean, { before, after }: RowChanges): boolean {
  if (!guard) return false
  if (isAdded && guard.isWhole) return true
  const filled = Object.entries(after ?? {}).flatMap(([name, value]) => (isAdded && !value ? [] : [name]))
  const changed = [...Object.keys(before ?? {}), ...filled]
  return changed.some((name) => guard.fields.some((field) => name === field || name.startsWith(`${field}-`)))
}

/** Any row of a table guarded as a whole; otherwise several rows, or one together with many others. */
export function isGuardedRemoval({ guard }: Table, rows: number, affected: readonly Affected[]): boolean {
  const deleted = affected.reduce((sum, { effect, count }) => sum + (effect.startsWith('kept') ? 0 : count), 0)
  return guard?.isWhole === true || rows > 1 || deleted > MAX_ROWS_UNGUARDED
}

const MAX_CHANGES_NAMED = 20
const MAX_VALUE_LENGTH = 100

/** What a form changes, a line each, by the labels of its fields: "Superuser: no → yes". */
export function describeChanges(table: Table, { before, after }: RowChanges): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const lines = names.flatMap((name) => {
    const found = fieldOf(table, name)
    // Times follow from the check boxes beside them.
    if (!found || found.field.kind === 'moment') return []
    const [old, present] = [before?.[name] ?? null, after?.[name] ?? null]
    const isNew = before === null || !(name in before)
    return [`${found.label}: ${isNew ? '' : `${valueText(found.field, old)} → `}${valueText(found.field, present)}`]
  })
  const more = lines.length - MAX_CHANGES_NAMED
  return more > 0 ? [...lines.slice(0, MAX_CHANGES_NAMED), `and ${more} more`] : lines
}

function fieldOf(table: Table, name: string): { field: Field; label: string } | null {
  const own = table.fields.find((field) => field.name === name)
  if (own) return { field: own, label: own.label }
  for (const inline of table.inlines) {
    const [, key = '', fieldName] = new RegExp(`^${inline.name}-(new|\\d+)-(.+)$`).exec(name) ?? []
    const field = inline.fields.find((one) => one.name === fieldName)
    if (field) return { field, label: `${inline.label}${key === 'new' ? '' : ` ${key}`}, ${field.label}` }
  }
  return null
}

function valueText(field: Field, value: AdminValue): string {
  if (field.kind === 'boolean') return value === null || value === 0 ? 'no' : 'yes'
  if (value === null || value === '') return 'none'
  const choice = field.kind === 'choice' ? field.choices.find((one) => one.value === String(value)) : undefined
  return truncated(choice?.label ?? String(value), MAX_VALUE_LENGTH)
}
