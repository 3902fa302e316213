import type { RowChanges } from '../row/row-changes.ts'
import type { Table } from '../table.ts'
import type { Affected } from '../row/remove-rows.ts'

/** More rows than these in one deletion, itself or what goes along, are a bulk deletion. */
const MAX_ROWS_UNGUARDED = 100

/** Whether adding a row, or changing one in this way, is guarded. */
export function isGuardedChange({ guard }: Table, isAdded: boolean, { before, after }: RowChanges): boolean {
  if (!guard) return false
  if (isAdded && guard.isWhole) return true
  const filled = Object.entries(after ?? {}).flatMap(([name, value]) => (isAdded && !value ? [] : [name]))
  const changed = [...Object.keys(before ?? {}), ...filled]
  return changed.some((name) => guard.fields.some((field) => name === field || name.startsWith(`${field}-`)))
}

/** Whether deleting so many rows is guarded: of a table guarded as a whole any, else several, or one that takes many along. */
export function isGuardedRemoval({ guard }: Table, rows: number, company: readonly Affected[]): boolean {
  const along = company.reduce((sum, { fate, count }) => sum + (fate.startsWith('kept') ? 0 : count), 0)
  return guard?.isWhole === true || rows > 1 || along > MAX_ROWS_UNGUARDED
}
