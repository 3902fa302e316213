import { type pausedQueues, queueEffects } from '../../jobs/paused-queues.ts'
import { isoOrNull, iso } from '../../lib/time.ts'
import type { PausedQueue, SourceNotice, UnreadSource } from './contract.ts'
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import { prepared, query, type RowOf, writeThenRead } from '../../db/query.ts'
import { sourceNotice } from '../../db/schema/index.ts'
import { auditRows } from '../../web/audit.ts'
import { notFound } from '../../web/refusal.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'

/** Problems that stop the tracker from working. A key is present only if there is a problem of its kind. */
interface TrackerProblems {
  paused_queues?: PausedQueue[]
  unread_sources?: UnreadSource[]
  source_notices?: SourceNotice[]
}

/** The problems whose lists are not empty. */
export function problemsOf<Lists extends TrackerProblems>(lists: Lists): Partial<Lists> {
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0)
  return Object.fromEntries(filled) as Partial<Lists>
}

/** Paused queues as pages show them. */
export function pausedQueuesOf(pauses: Awaited<ReturnType<typeof pausedQueues>>): PausedQueue[] {
  return pauses.map(({ queue, at, by }) => ({ queue, since: isoOrNull(at), by, ...queueEffects[queue] }))
}

/** Notices shown at a time. */
const MAX_NOTICES = 20

/** Notices that staff have not dismissed yet, newest first. For {@link sourceNoticesOf}. */
export const findSourceNotices = prepared(() =>
  query
    .select({ id: sourceNotice.id, body: sourceNotice.body, created_at: sourceNotice.createdAt })
    .from(sourceNotice)
    .where(isNull(sourceNotice.dismissedAt))
    .orderBy(desc(sourceNotice.createdAt), desc(sourceNotice.id))
    .limit(MAX_NOTICES),
)

export function sourceNoticesOf(rows: readonly RowOf<ReturnType<typeof findSourceNotices>>[]): SourceNotice[] {
  return rows.map(({ id, body, created_at }) => ({ id, body, created_at: iso(created_at) }))
}

/** Dismisses a notice; it stays in the database. A second click changes nothing. @throws forbidden, notFound */
export async function dismissSourceNotice(db: D1Database, by: TrackerActor, id: number, now: number): Promise<void> {
  refuseUnlessSuperuser(by)
  const isOpen = and(eq(sourceNotice.id, id), isNull(sourceNotice.dismissedAt))
  const audit = auditRows(
    by.audit,
    { act: 'dismissed', area: 'class_tracker', table: 'source_notice' },
    sql`SELECT ${sourceNotice.id} AS row_key, ${sourceNotice.body} AS title, NULL AS before, NULL AS after
      FROM ${sourceNotice} WHERE ${isOpen}`,
    now,
  )
  const [there] = await writeThenRead(
    db,
    [audit, query.update(sourceNotice).set({ dismissedAt: now }).where(isOpen)],
    query.select({ id: sourceNotice.id }).from(sourceNotice).where(eq(sourceNotice.id, id)),
  )
  if (there.length !== 1) throw notFound('This notice is no longer there.')
}
