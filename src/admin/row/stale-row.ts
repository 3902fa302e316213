import { readTogether } from '../../db/query.ts'
import type { AdminKey } from '../../web/admin-change.ts'
import { currentValue, keepYours } from '../../web/current-value.ts'
import { notFound, type FormError } from '../../web/refusal.ts'
import { hashOf } from '../../web/security/signing.ts'
import type { Table, Tables } from '../table.ts'
import { inSentence } from '../table-parts.ts'
import { shownValue } from './field-values.ts'
import { attachErrors, type Saved } from './form-state.ts'
import type { ReadForm } from './posted-form.ts'
import { type KnownRow, knownRow, rowStatements, stateText } from './read-row.ts'

export const changedMeanwhile = 'Someone else changed this at the same time.'

/** The form field `was`: the state of the row that the person saw before saving. */
export const fingerprintOf = (table: Table, known: KnownRow): Promise<string> => hashOf(stateText(table, known))

/** For the second of two people who edit one row: shows the current values beside what they typed. */
export function stale(read: ReadForm, known: KnownRow, timeZone: string): Saved {
  const differing = read.state.controls.flatMap(({ field, name, isReadOnly }): FormError[] => {
    const present = known.values[name] ?? null
    if (isReadOnly || read.values[name] === present) return []
    const shown = known.references.get(name) ?? shownValue(field, present, timeZone)
    return [{ field: name, message: currentValue(shown) }]
  })
  const summary = { message: `${changedMeanwhile} ${keepYours}` }
  attachErrors(read.state, differing)
  return { kind: 'refused', status: 409, state: read.state, errors: [summary, ...differing], known }
}

/** The same when only the write detected the change. @throws notFound */
export async function staleAgain(
  env: Env,
  tables: Tables,
  table: Table,
  { read, key, timeZone }: { read: ReadForm; key: AdminKey; timeZone: string },
): Promise<Saved> {
  const known = knownRow(table, await readTogether(env.DB, ...rowStatements(tables, table, key)))
  if (!known) throw notFound(`There is no ${inSentence(table.label)} ${key} anymore.`)
  return stale(read, known, timeZone)
}
