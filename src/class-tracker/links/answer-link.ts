import { and, eq, isNull } from 'drizzle-orm'
import { type Database, query, writeTogether, writeThenRead } from '../../db/query.ts'
import { watch } from '../../db/schema/index.ts'
import type { Actor } from '../../web/audit.ts'
import { unprocessable } from '../../web/refusal.ts'
import { advanceNextWave } from '../alerts/fair-turns.ts'
import { stopAllMessages } from '../deliveries/opt-out.ts'
import { recordOpened, recordSeen } from '../deliveries/record-seen.ts'
import { insertWatch } from '../watches/add-watched-section.ts'
import { auditWatch } from '../watches/audit-watch.ts'
import { deleteWatch } from '../watches/remove-watched-section.ts'
import type { LinkRow } from './find-link.ts'

/** "I got the seat": the person is registered, so the watch of this class ends. */
export async function endWatch(db: Database, row: LinkRow, by: Actor, now: number): Promise<void> {
  const scope = { recipientId: row.recipient_id, sectionId: row.section_id }
  await writeTogether(db, [
    ...recordSeen(row, 'got_it', now),
    recordOpened(row, now),
    auditWatch(by, 'deleted', scope, now),
    ...deleteWatch(scope, now),
    ...advanceNextWave(scope.recipientId, scope.sectionId, now),
  ])
}

/** "Watch it again": undoes "I got the seat" or another end. @throws unprocessable when it cannot be watched anymore */
export async function watchAgain(db: Database, row: LinkRow, by: Actor, now: number): Promise<void> {
  if (row.is_watched) return
  const scope = { recipientId: row.recipient_id, sectionId: row.section_id }
  const isActive = and(
    eq(watch.recipientId, scope.recipientId),
    eq(watch.sectionId, scope.sectionId),
    isNull(watch.archivedAt),
  )
  const [active] = await writeThenRead(
    db,
    [insertWatch(scope, now), auditWatch(by, 'added', scope, now), recordOpened(row, now)],
    // A double click sends two requests, and only the first adds the watch.
    query.select({ id: watch.id }).from(watch).where(isActive),
  )
  if (active.length === 0) throw unprocessable('This class can no longer be watched.')
}

/** "Pass": the message was seen, and the next person in line for this class is notified. */
export async function passSeat(db: Database, row: LinkRow, now: number): Promise<void> {
  await writeTogether(db, [
    ...recordSeen(row, 'passed', now),
    recordOpened(row, now),
    ...advanceNextWave(row.recipient_id, row.section_id, now),
  ])
}

/** Copying the number counts as seeing the message, so a text that waits for that is not sent. */
export async function markSeen(db: Database, row: LinkRow, now: number): Promise<void> {
  await writeTogether(db, [...recordSeen(row, 'copied', now), recordOpened(row, now)])
}

export async function markOpened(db: Database, row: LinkRow, now: number): Promise<void> {
  await writeTogether(db, [recordOpened(row, now)])
}

/** "Stop all messages": every contact opts out. @returns how many contacts received messages until now */
export async function stopAll(db: Database, row: LinkRow, by: Actor, now: number): Promise<number> {
  const [, stopped] = await writeTogether(db, [
    // This comes first, so that waiting messages are canceled instead of marked as not needed.
    ...stopAllMessages(row.recipient_id, by, now),
    ...recordSeen(row, 'stopped', now),
    recordOpened(row, now),
  ])
  return stopped.rows.length
}
