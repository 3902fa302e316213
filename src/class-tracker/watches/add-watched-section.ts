import { readTogether } from '../../db/read-together.ts'
import { insist } from '../../db/insist.ts'
import type { Actor } from '../../web/audit.ts'
import { conflict, notThere, type Refusal, refused } from '../../web/refusal.ts'
import type { AddWatchedSection } from '../contract.ts'
import { auditWatch } from './audit-watch.ts'
import { isUsableContact } from './usable-contact.ts'
import {
  type ChangeRow,
  historiesOf,
  historyStatement,
  watchedColumns,
  watchedSectionOf,
  watchedTables,
  type WatchedRow,
} from './watched-section.ts'

/** Sections one recipient may watch at a time: what a page can still show. */
export const mostWatches = 1000

interface RecipientRow {
  name: string
  usable_contacts: number
  watches: number
}

interface SectionToWatch extends WatchedRow {
  is_term_open: number
  is_source_enabled: number
  is_missing: number
  is_watched: number
}

/**
 * Makes a recipient wait for a section; a watch that was archived lives again. The next believed look at the section counts
 * as its first. Warns of what the person would not expect: nobody to message, a section that is open already or gone.
 * @param actor who asks, for the audit
 * @throws notThere, refused when the term is over or no longer offered, conflict when it is watched already
 */
export async function addWatchedSection(
  db: D1Database,
  recipientId: number,
  sectionId: number,
  now: number,
  actor?: Actor,
): Promise<AddWatchedSection> {
  const [recipients, sections, changes, added] = await readTogether<
    [RecipientRow[], SectionToWatch[], ChangeRow[], unknown[], ...unknown[][]]
  >(
    db,
    readRecipient(db, recipientId),
    readSection(db, recipientId, sectionId, now),
    historyStatement(db, 'SELECT ? AS id', [sectionId], now),
    watch(db, recipientId, sectionId, now),
    ...(actor ? [auditWatch(db, actor, 'added', { recipientId, sectionId }, now)] : []),
  )
  const [recipient] = recipients
  const [section] = sections
  if (!recipient) throw notThere(`Recipient id ${recipientId} not found`)
  if (!section) throw notThere(`Section id ${sectionId} not found`)
  if (added.length === 0) throw whyNotAdded(recipient, section)
  return {
    added_section: watchedSectionOf(section, historiesOf(changes, now).get(sectionId) ?? []),
    warnings: warningsFor(recipient, section),
  }
}

/**
 * The same for a batch of somebody else's: refused, or the statements that add the watch and what to warn of. They undo the
 * batch when another request was first.
 */
export async function planWatch(
  db: D1Database,
  recipientId: number,
  sectionId: number,
  now: number,
): Promise<{ refusal: Refusal } | { statements: D1PreparedStatement[]; said: string }> {
  const [[recipient], [section]] = await readTogether<[RecipientRow[], SectionToWatch[]]>(
    db,
    readRecipient(db, recipientId),
    readSection(db, recipientId, sectionId, now),
  )
  if (!recipient) return { refusal: notThere(`Recipient id ${recipientId} not found`) }
  if (!section) return { refusal: notThere(`Section id ${sectionId} not found`) }
  const isPossible = section.is_watched === 0 && section.is_term_open === 1 && recipient.watches < mostWatches
  if (!isPossible) return { refusal: whyNotAdded(recipient, section) }
  const isFree = 'NOT EXISTS (SELECT 1 FROM watch WHERE recipient_id = ? AND section_id = ? AND archived_at IS NULL)'
  return {
    statements: [
      insist(db, isFree, [recipientId, sectionId], `Section ${labelOf(section)} is already being watched`),
      watch(db, recipientId, sectionId, now),
    ],
    said: [`${recipient.name} watches ${labelOf(section)}.`, ...warningsFor(recipient, section)].join(' '),
  }
}

function readRecipient(db: D1Database, recipientId: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT r.name,
         (SELECT count(*) FROM contact n WHERE n.recipient_id = r.id AND ${isUsableContact}) AS usable_contacts,
         (SELECT count(*) FROM watch w WHERE w.recipient_id = r.id AND w.archived_at IS NULL) AS watches
       FROM recipient r WHERE r.id = ?`,
    )
    .bind(recipientId)
}

function readSection(db: D1Database, recipientId: number, sectionId: number, now: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT ${watchedColumns}, st.is_available AND st.ends_at > ? AS is_term_open, o.is_enabled AS is_source_enabled, s.missing_since IS NOT NULL AS is_missing,
         EXISTS (SELECT 1 FROM watch w WHERE w.recipient_id = ? AND w.section_id = s.id AND w.archived_at IS NULL) AS is_watched
       FROM section s ${watchedTables} WHERE s.id = ?`,
    )
    .bind(now, recipientId, sectionId)
}

/**
 * Every condition is in the statement itself, so that two requests at once make one watch. A watch that ended and begins
 * again remembers the recipient's last alert for the section: the next one keeps its distance to it.
 */
function watch(db: D1Database, recipientId: number, sectionId: number, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO watch (recipient_id, section_id, created_at, last_alert_at)
       SELECT r.id, s.id, ?1, (
         SELECT max(coalesce(a.release_at, a.created_at)) FROM class_alert a
         WHERE a.section_id = s.id AND a.recipient_id = r.id AND a.poll_id IS NOT NULL AND a.canceled_at IS NULL)
       FROM recipient r, section s JOIN school_term st ON st.id = s.school_term_id
       WHERE r.id = ?2 AND s.id = ?3 AND st.is_available AND st.ends_at > ?1
         AND (SELECT count(*) FROM watch w WHERE w.recipient_id = r.id AND w.archived_at IS NULL) < ?4
       ON CONFLICT (recipient_id, section_id) DO UPDATE
       SET archived_at = NULL, is_new = 1, created_at = excluded.created_at, remind_at = NULL, reminders = 0
       WHERE archived_at IS NOT NULL
       RETURNING id`,
    )
    .bind(now, recipientId, sectionId, mostWatches)
}

const labelOf = (section: SectionToWatch): string =>
  `${section.course_code} ${section.course_level} - ${section.section_topic || section.course_title}`

function whyNotAdded(recipient: RecipientRow, section: SectionToWatch): Refusal {
  if (section.is_watched === 1) return conflict(`Section ${labelOf(section)} is already being watched`)
  if (section.is_term_open === 0)
    return refused(`${section.term_name} is over or no longer offered, so its sections cannot be watched.`)
  return refused(
    `${recipient.name} watches ${recipient.watches} sections already; at most ${mostWatches} are possible.`,
  )
}

function warningsFor(recipient: RecipientRow, section: SectionToWatch): string[] {
  const warnings: string[] = []
  if (recipient.usable_contacts === 0) {
    warnings.push(`${recipient.name} has no usable contact: no alert can be sent until one is added or enabled.`)
  }
  if (section.section_status === 'open') warnings.push('This section is open now: the alert goes out at the next look.')
  if (section.is_missing === 1) warnings.push(`${section.school_name} does not list this section any more.`)
  if (section.is_source_enabled === 0)
    warnings.push(`${section.school_name} is not being watched at the moment: its source is disabled.`)
  return warnings
}
