import type { AdminChange, AdminRow, AdminValue } from '../../web/admin-change.ts'

/** The fields that differ, inlines among them as `<inline>-<key>-<field>`; null if there is no row. */
export interface RowChanges {
  before: AdminRow | null
  after: AdminRow | null
}

/** What a form changes; for an added row everything that is not empty. */
export function changesOf(change: AdminChange): RowChanges {
  const before: Record<string, AdminValue> = {}
  const after: Record<string, AdminValue> = {}
  function note(prefix: string, was: AdminRow | null, is: AdminRow | null): void {
    for (const name of Object.keys(is ?? was ?? {})) {
      const [old, present] = [was?.[name] ?? null, is?.[name] ?? null]
      if (old === present) continue
      if (was && !(old === null && !is)) before[prefix + name] = old
      if (is) after[prefix + name] = present
    }
  }
  note('', change.before, change.values)
  for (const rows of Object.values(change.inlines)) {
    for (const { prefix, before: was, values, isRemoved } of rows) note(`${prefix}-`, was, isRemoved ? null : values)
  }
  return { before: change.before === null ? null : before, after }
}

export const isAnyChange = ({ before, after }: RowChanges): boolean =>
  Object.keys(before ?? {}).length > 0 || Object.keys(after ?? {}).length > 0
