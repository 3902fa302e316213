import type { WaitingMail } from '../../accounts/mails/post-mail.ts'
import { insist } from '../../db/insist.ts'
import { writeTogether } from '../../db/query.ts'
import type { AdminChange, AdminFault, AdminKey, AdminPlan, AdminTable } from '../../web/admin-table.ts'
import { auditStatement } from '../../web/audit.ts'
import { keyOf } from '../table-parts.ts'
import { addedKeySql } from './plain-statements.ts'
import { type KnownRow, unchangedCondition } from './read-row.ts'
import { changesOf } from './row-changes.ts'
import type { Saved } from './saved.ts'
import { changedMeanwhile } from './stale-row.ts'

/**
 * Carries out what was planned for a form, with its audit entry and the mails about it, unless the row has changed since it was
 * read.
 */
export async function writeRow(
  env: Env,
  table: AdminTable,
  change: AdminChange,
  known: KnownRow | null,
  plan: Exclude<AdminPlan, { faults: readonly AdminFault[] }>,
  notices: readonly WaitingMail[],
): Promise<Saved> {
  const { before, after } = plan.audit ?? changesOf(change)
  const title = known?.title ?? titleOfNew(table, change)
  const { column, kind } = keyOf(table)
  const ownKey = known?.key ?? (kind === 'text' ? String(change.values[column] ?? '') : null)
  const addedKey = plan.addedKey ?? addedKeySql(table)
  const guard = known ? unchangedCondition(table, known) : null
  const results = await writeTogether(env.DB, [
    ...(guard ? [insist(env.DB, guard.sql, guard.values, changedMeanwhile)] : []),
    ...plan.statements,
    auditStatement(
      env.DB,
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
    ...notices.map(({ statement }) => statement),
    ...(ownKey === null ? [env.DB.prepare(`SELECT ${addedKey} AS "key"`)] : []),
  ])
  await plan.afterwards?.()
  const added = results.at(-1)?.rows[0] as { key: AdminKey } | undefined
  const key = ownKey ?? added?.key ?? ''
  return {
    kind: 'saved',
    key,
    said: plan.said ?? `${title === '' ? table.label : title} was ${known ? 'saved' : 'added'}.`,
  }
}

/** The first text of a row that has no title yet. */
export function titleOfNew(table: AdminTable, { values }: AdminChange): string {
  const named = table.fields.find(({ kind, name }) => kind === 'text' && String(values[name] ?? '') !== '')
  return named ? String(values[named.name]) : ''
}
