import { desc, type SQL, sql } from 'drizzle-orm'
import { constant, query, readTogether, type RowOf, template } from '../../db/query.ts'
import { contact, recipient, section, sectionGroup, watch } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import type { Contact, Recipient } from './contract.ts'
import { isCurrent, isCurrentOf, observedAtOf, statusNowOf } from '../courses/observed-at.ts'
import {
  type ChangeRow,
  findHistories,
  historiesOf,
  watchedFields,
  watchedSectionOf,
} from '../watches/watched-section.ts'
import type { pageFilters } from './search-recipients.ts'
import { joinSource } from '../courses/section-row.ts'

type RecipientRow = RowOf<ReturnType<typeof findRecipients>>
export type ContactRow = RowOf<ReturnType<typeof findContacts>>
type WatchedRow = RowOf<ReturnType<typeof findWatchedSections>>

/** A recipient and its contacts, without what it watches. */
export interface RecipientContacts {
  recipient: RecipientRow
  contacts: readonly ContactRow[]
}

/** @param ids a SELECT of recipients' ids as `id`, or one id */
export function findRecipients(ids: SQL) {
  return query
    .select({
      id: recipient.id,
      name: recipient.name,
      description: recipient.description,
      is_contact_by_phone: recipient.isContactByPhone,
      paused_until: recipient.pausedUntil,
    })
    .from(recipient)
    .where(sql`${recipient.id} IN (${ids})`)
    .orderBy(desc(recipient.id))
}

/** @param ids a SELECT of recipients' ids as `id`, or one id */
export function findContacts(ids: SQL) {
  return query
    .select({
      id: contact.id,
      recipient_id: contact.recipientId,
      kind: contact.kind,
      address: contact.address,
      address_key: contact.addressKey,
      device: contact.device,
      is_enabled: contact.isEnabled,
      verified_at: contact.verifiedAt,
      opted_out_at: contact.optedOutAt,
      undeliverable_at: contact.undeliverableAt,
      undeliverable_reason: contact.undeliverableReason,
    })
    .from(contact)
    .where(sql`${contact.recipientId} IN (${ids})`)
    .orderBy(contact.id)
}

/** Watched sections shown with a recipient until all of them are requested. */
export const SECTIONS_SHOWN = 8
/** More sections than anyone watches, because no list is read without a limit. */
export const MAX_WATCHED = 2000

/** Every section meets them. */
const noFilters: typeof pageFilters = { join: sql``, isMet: sql`true` }

/** The watches of some recipients in display order: open sections first, then the newest watch. */
function rankedWatches(ids: SQL, { join, isMet }: typeof pageFilters): SQL {
  return sql`SELECT ${watch.id} AS id, ${watch.sectionId} AS section_id, ${watch.recipientId} AS recipient_id,
      row_number() OVER (PARTITION BY ${watch.recipientId}
        ORDER BY ${isMet} DESC, ${statusNowOf(section)} = 'open' DESC, ${watch.createdAt} DESC, ${watch.id} DESC) AS place,
      count(*) OVER (PARTITION BY ${watch.recipientId}) AS watched_count, ${isMet} AS is_asked
    FROM ${watch} CROSS JOIN ${section} ON ${section.id} = ${watch.sectionId} ${join}
    WHERE ${watch.recipientId} IN (${ids}) AND ${watch.archivedAt} IS NULL`
}

/** @param ids a SELECT of recipients' ids as `id`, or one id @param most the most sections per recipient */
export function findWatchedSections(ids: SQL, most: number, filters = noFilters) {
  return template(
    { recipient_id: watch.recipientId, watched_count: sql<number>`ranked.watched_count`, ...watchedFields },
    (columns) => sql`WITH ranked AS MATERIALIZED (${rankedWatches(ids, filters)})
      SELECT ${columns}
      FROM ranked CROSS JOIN ${watch} ON ${watch.id} = ranked.id
      CROSS JOIN ${section} ON ${section.id} = ${watch.sectionId} ${joinSource}
      WHERE ranked.place <= ${constant(most)} AND ranked.is_asked
      ORDER BY ${watch.recipientId}, ranked.place`,
  )
}

/**
 * The histories of {@link findWatchedSections}: of all if there are at most `drawn`, otherwise of each recipient's
 * first, the only ones drawn at first.
 * @param since as `findHistories` takes it
 */
export function findWatchedHistories(
  ids: SQL,
  { most, drawn }: { most: number; drawn: number },
  since: number | SQL,
  filters = noFilters,
) {
  return findHistories(
    sql`WITH listed AS MATERIALIZED (
        SELECT section_id, place FROM (${rankedWatches(ids, filters)}) WHERE place <= ${constant(most)} AND is_asked)
      SELECT DISTINCT section_id AS id FROM listed
      WHERE place = 1 OR (SELECT count(*) FROM listed) <= ${constant(drawn)}`,
    since,
  )
}

/** How many sections they watch, how many are known to be open at `now` (ms), and when the newest was read. */
export function countWatchedSections(ids: SQL, now: SQL, filters?: typeof pageFilters) {
  const observedAt = observedAtOf(section, sectionGroup)
  return template(
    {
      sections: sql<number>`count(*)`,
      open: sql<number>`count(iif(${statusNowOf(section)} = 'open' AND ${isCurrentOf(observedAt, now)}, 1, NULL))`,
      observed_at: sql<number | null>`max(${observedAt})`,
    },
    (columns) => sql`SELECT ${columns}
      FROM (SELECT DISTINCT ${watch.sectionId} AS id FROM ${watch}
        WHERE ${watch.recipientId} IN (${ids}) AND ${watch.archivedAt} IS NULL) watched
      CROSS JOIN ${section} ON ${section.id} = watched.id
      ${filters?.join ?? sql`JOIN ${sectionGroup} ON ${sectionGroup.id} = ${section.groupId}`}
      WHERE ${filters?.isMet ?? sql`true`}`,
  )
}

/** Recipients newest first, each with its contacts (oldest first) and its watched sections (open ones first). */
export function recipientsOf(
  [recipients, contacts, sections, changes]: readonly [
    readonly RecipientRow[],
    readonly ContactRow[],
    readonly WatchedRow[],
    readonly ChangeRow[],
  ],
  now: number,
): Recipient[] {
  const histories = historiesOf(changes, now)
  const contactsBy = Map.groupBy(contacts, (row) => row.recipient_id)
  const watchedBy = Map.groupBy(sections, (row) => row.recipient_id)
  return recipients.map(({ paused_until, ...row }) => ({
    ...row,
    ...(paused_until !== null && paused_until > now && { paused_until: iso(paused_until) }),
    phone_numbers: (contactsBy.get(row.id) ?? []).map(contactOf),
    watched_sections: (watchedBy.get(row.id) ?? []).map((watched) => ({
      ...watchedSectionOf(watched, histories.get(watched.section_id) ?? []),
      ...(watched.section_observed_at !== null &&
        !isCurrent(watched.section_observed_at, now) && { is_old: true as const }),
    })),
    watched_count: watchedBy.get(row.id)?.[0]?.watched_count ?? 0,
  }))
}

function contactOf(row: ContactRow): Contact {
  return {
    id: row.id,
    kind: row.kind,
    number: shownAddress(row),
    is_enabled: row.is_enabled,
    verified: row.verified_at !== null,
    opted_out: row.opted_out_at !== null,
    undeliverable: row.undeliverable_at === null ? null : (row.undeliverable_reason ?? ''),
  }
}

/** A device's address means nothing to people, and its keys are secret. */
export function shownAddress({ kind, address, device }: ContactRow): string {
  return kind === 'push' ? device || maskedAddress(kind, address) : address
}

/** A recipient with its contacts; null if it does not exist. */
export async function readRecipient(db: D1Database, recipientId: number): Promise<RecipientContacts | null> {
  const id = sql`${recipientId}`
  const [[found], contacts] = await readTogether(db, findRecipients(id), findContacts(id))
  return found ? { recipient: found, contacts } : null
}
