import type { WaitingMail } from '../../accounts/mails/post-mail.ts'
import { sql } from 'drizzle-orm'
import { template, writeThenRead } from '../../db/query.ts'
import { refuseUnless } from '../../db/refuse-unless.ts'
import type { AdminChange, AdminFault, AdminKey, AdminPlan } from '../../web/admin-change.ts'
import { auditEntry } from '../../web/audit.ts'
import type { Table } from '../table.ts'
import { addedKeyOf } from './plain-statements.ts'
import { type KnownRow, unchangedCondition } from './read-row.ts'
import { changesOf } from './row-changes.ts'
import type { Saved } from './form-state.ts'
import { changedMeanwhile } from './stale-row.ts'

/** A form that was read and may be carried out. */
interface Planned {
  change: AdminChange
  /** The row as it was read; null for a new one. */
  known: KnownRow | null
  plan: Exclude<AdminPlan, { faults: readonly AdminFault[] }>
  notices: readonly WaitingMail[]
}

/**
 * Carries out what was planned for a form, with its audit entry and the mails about it, unless the row has changed
 * since it was read.
 */
export async function writeRow(env: Env, table: Table, { change, known, plan, notices }: Planned): Promise<Saved> {
  const { before, after } = plan.audit ?? changesOf(change)
  const title = known?.title ?? titleOfNew(table, change)
  const ownKey = known?.key ?? (table.keyKind === 'text' ? String(change.values[table.key] ?? '') : null)
  const addedKey = plan.addedKey ?? addedKeyOf(table)
  const findKey = template({ key: sql<AdminKey>`${addedKey}` }, (columns) => sql`SELECT ${columns}`)
  const writes = [
    ...(known ? [refuseUnless(unchangedCondition(table, known), changedMeanwhile)] : []),
    ...plan.statements,
    auditEntry(
      change.actor,
      {
        act: known ? 'changed' : 'added',
        area: 'admin',
        table: table.table,
        key: String(ownKey ?? ''),
        ...(ownKey === null && { addedKey }),
        title,
        before,
        after,
      },
      change.now,
    ),
    ...notices.map((notice) => notice.statement),
  ]
  const [[added]] = await writeThenRead(env.DB, writes, findKey)
  await plan.afterwards?.()
  const key = ownKey ?? added?.key ?? ''
  return {
    kind: 'saved',
    key,
    message: plan.message ?? `${title === '' ? table.label : title} was ${known ? 'saved' : 'added'}.`,
  }
}

/** The first text of a row that has no title yet. */
export function titleOfNew(table: Table, { values }: AdminChange): string {
  const named = table.fields.find(({ kind, name }) => kind === 'text' && String(values[name] ?? '') !== '')
  return named ? String(values[named.name]) : ''
}
