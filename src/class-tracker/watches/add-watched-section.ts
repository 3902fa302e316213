import { notInArray, type SQLWrapper, sql } from 'drizzle-orm'
import {
  into,
  names,
  type Query,
  readTogether,
  type RowOf,
  template,
  writeTogether,
  refuseUnless,
  setExcluded,
} from '../../db/query.ts'
import {
  classAlert,
  contact,
  delivery,
  deliveryAlert,
  recipient,
  schoolTerm,
  section,
  source,
  watch,
  canBeMessaged,
} from '../../db/schema/index.ts'
import { untoldEnds } from './last-alert.ts'
import { conflict, notFound, type Refusal, unprocessable } from '../../web/refusal.ts'
import { isCurrent } from '../courses/observed-at.ts'
import type { AddWatchedSection } from './contract.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { auditWatch, type WatchScope } from './audit-watch.ts'
import { findHistories, historiesOf, historyStart, watchedFields, watchedSectionOf } from './watched-section.ts'
import { joinSource } from '../courses/section-row.ts'

/** The most sections one recipient may watch, so that a page can still show them. */
export const MAX_WATCHES = 1000

type RecipientRow = RowOf<ReturnType<typeof findRecipient>>
type SectionToWatch = RowOf<ReturnType<typeof findSection>>

/**
 * Adds a watch or revives an archived one; the next believed read counts as its first. Warns if the recipient cannot be
 * notified, or if the section is already open, no longer listed or not checked.
 * @throws forbidden, notFound, unprocessable when the term is over or no longer offered, conflict when it is already watched
 */
export async function addWatchedSection(
  db: D1Database,
  by: TrackerActor,
  scope: WatchScope,
  now: number,
): Promise<AddWatchedSection> {
  refuseUnlessSuperuser(by)
  const { recipientId, sectionId } = scope
  const [recipients, sections, changes, added] = await writeTogether(db, [
    findRecipient(recipientId),
    findSection(scope, now),
    findHistories(sql`SELECT ${sectionId} AS id`, historyStart(now)),
    insertWatch(scope, now),
    auditWatch(by.audit, 'added', scope, now),
  ])
  const [recipientRow] = recipients.rows
  const [sectionRow] = sections.rows
  if (!recipientRow) throw notFound(`Recipient id ${recipientId} not found`)
  if (!sectionRow) throw notFound(`Section id ${sectionId} not found`)
  if (added.rows.length === 0) throw whyNotAdded(recipientRow, sectionRow)
  return {
    added_section: watchedSectionOf(sectionRow, historiesOf(changes.rows, now).get(sectionId) ?? []),
    warnings: warningsFor(recipientRow, sectionRow, now),
  }
}

/** Like {@link addWatchedSection}, as statements that undo their batch if the watch was added in the meantime. */
export async function planWatch(
  db: D1Database,
  scope: WatchScope,
  now: number,
): Promise<{ refusal: Refusal } | { statements: Query[]; message: string }> {
  const { recipientId, sectionId } = scope
  const [[recipientRow], [sectionRow]] = await readTogether(db, findRecipient(recipientId), findSection(scope, now))
  if (!recipientRow) return { refusal: notFound(`Recipient id ${recipientId} not found`) }
  if (!sectionRow) return { refusal: notFound(`Section id ${sectionId} not found`) }
  const isPossible = !sectionRow.is_watched && sectionRow.is_term_open && recipientRow.watches < MAX_WATCHES
  if (!isPossible) return { refusal: whyNotAdded(recipientRow, sectionRow) }
  return {
    statements: [
      refuseUnless(
        sql`NOT ${isWatched(recipientId, sectionId)}`,
        `Section ${labelOf(sectionRow)} is already being watched`,
      ),
      insertWatch(scope, now),
    ],
    message: [
      `${recipientRow.name} watches ${labelOf(sectionRow)}.`,
      ...warningsFor(recipientRow, sectionRow, now),
    ].join(' '),
  }
}

function findRecipient(recipientId: number) {
  return template(
    {
      name: recipient.name,
      usable_contacts: sql<number>`(SELECT count(*) FROM ${contact}
        WHERE ${contact.recipientId} = ${recipient.id} AND ${canBeMessaged})`,
      watches: sql<number>`(SELECT count(*) FROM ${watch}
        WHERE ${watch.recipientId} = ${recipient.id} AND ${watch.archivedAt} IS NULL)`,
    },
    (columns) => sql`SELECT ${columns} FROM ${recipient} WHERE ${recipient.id} = ${recipientId}`,
  )
}

function findSection({ recipientId, sectionId }: WatchScope, now: number) {
  return template(
    {
      ...watchedFields,
      is_term_open: isTermOpen(now),
      is_source_enabled: source.isEnabled,
      is_missing: sql<boolean>`${section.missingSince} IS NOT NULL`.mapWith(Boolean),
      is_watched: isWatched(recipientId, sectionId),
    },
    (columns) => sql`SELECT ${columns} FROM ${section} ${joinSource} WHERE ${section.id} = ${sectionId}`,
  )
}

/** Whether a section's school still offers its term. @param now ms since epoch */
export const isTermOpen = (now: number) =>
  sql<boolean>`${schoolTerm.isAvailable} AND ${schoolTerm.endsAt} > ${now}`.mapWith(Boolean)

/** Whether a recipient watches a section. Each id may be a column. */
export const isWatched = (recipientId: number | SQLWrapper, sectionId: number | SQLWrapper) =>
  sql<boolean>`EXISTS (SELECT 1 FROM ${watch}
    WHERE ${watch.recipientId} = ${recipientId} AND ${watch.sectionId} = ${sectionId} AND ${watch.archivedAt} IS NULL)`.mapWith(
    Boolean,
  )

/** Two concurrent requests add one watch. The time of the last alert with a message is kept: the next is held as usual. */
export function insertWatch({ recipientId, sectionId }: WatchScope, now: number) {
  return template(
    { id: watch.id },
    (columns) => sql`INSERT INTO ${into(watch, watch.recipientId, watch.sectionId, watch.createdAt, watch.lastAlertAt)}
      SELECT ${recipient.id}, ${section.id}, ${now}, (
        SELECT max(max(coalesce(${classAlert.releaseAt}, ${classAlert.createdAt}), coalesce(${delivery.restartedAt}, 0)))
        FROM ${classAlert} JOIN ${deliveryAlert} ON ${deliveryAlert.alertId} = ${classAlert.id}
        JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
        WHERE ${classAlert.sectionId} = ${section.id} AND ${classAlert.recipientId} = ${recipient.id}
          AND ${classAlert.pollId} IS NOT NULL AND ${classAlert.canceledAt} IS NULL
          AND (${notInArray(delivery.state, [...untoldEnds])} OR ${delivery.body} IS NOT NULL))
      FROM ${recipient}, ${section} JOIN ${schoolTerm} ON ${schoolTerm.id} = ${section.schoolTermId}
      WHERE ${recipient.id} = ${recipientId} AND ${section.id} = ${sectionId}
        AND ${isTermOpen(now)}
        AND (SELECT count(*) FROM ${watch} WHERE ${watch.recipientId} = ${recipient.id} AND ${watch.archivedAt} IS NULL)
          < ${MAX_WATCHES}
      ON CONFLICT (${names(watch.recipientId, watch.sectionId)}) DO UPDATE
      SET ${names(watch.archivedAt)} = NULL, ${names(watch.isNew)} = 1, ${setExcluded(watch.createdAt)},
        ${names(watch.remindAt)} = NULL, ${names(watch.reminders)} = 0
      WHERE ${watch.archivedAt} IS NOT NULL
      RETURNING ${columns}`,
  )
}

const labelOf = (sectionRow: SectionToWatch): string =>
  `${sectionRow.course_code} ${sectionRow.course_level} - ${sectionRow.section_topic || sectionRow.course_title}`

function whyNotAdded(recipientRow: RecipientRow, sectionRow: SectionToWatch): Refusal {
  if (sectionRow.is_watched) return conflict(`Section ${labelOf(sectionRow)} is already being watched`)
  if (!sectionRow.is_term_open)
    return unprocessable(`${sectionRow.term_name} is over or no longer offered, so its sections cannot be watched.`)
  return unprocessable(
    `${recipientRow.name} already watches ${recipientRow.watches} sections; at most ${MAX_WATCHES} are possible.`,
  )
}

function warningsFor(recipientRow: RecipientRow, sectionRow: SectionToWatch, now: number): string[] {
  const warnings: string[] = []
  if (recipientRow.usable_contacts === 0) {
    warnings.push(`${recipientRow.name} has no usable contact. No alert can be sent until one is added or enabled.`)
  }
  if (sectionRow.section_status === 'open')
    warnings.push(
      isCurrent(sectionRow.section_observed_at, now)
        ? 'This section is open now. The alert goes out at the next check.'
        : 'This section was open when it was last checked. If it still is, the alert goes out at the next check.',
    )
  if (sectionRow.is_missing) warnings.push(`${sectionRow.school_name} no longer lists this section.`)
  if (!sectionRow.is_source_enabled)
    warnings.push(`${sectionRow.school_name} is not being checked at the moment, because its source is disabled.`)
  return warnings
}
