import { desc, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { query, readTogether, type RowOf, template } from '../../db/query.ts'
import { contact, recipient, section, watch } from '../../db/schema/index.ts'
import { maskedAddress } from '../../notify/masked-address.ts'
import { type Contact, ContactKind, type Recipient } from '../contract.ts'
import type { KnownForms } from './check-forms.ts'
import {
  type ChangeRow,
  findHistories,
  historiesOf,
  joinSource,
  watchedFields,
  watchedSectionOf,
} from '../watches/watched-section.ts'

export type RecipientRow = RowOf<ReturnType<typeof findRecipients>>
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
    })
    .from(contact)
    .where(sql`${contact.recipientId} IN (${ids})`)
    .orderBy(contact.id)
}

/** @param ids a SELECT of recipients' ids as `id`, or one id */
export function findWatchedSections(ids: SQL) {
  return template(
    { recipient_id: watch.recipientId, ...watchedFields },
    (columns) => sql`SELECT ${columns}
      FROM ${watch} CROSS JOIN ${section} ON ${section.id} = ${watch.sectionId} ${joinSource}
      WHERE ${watch.recipientId} IN (${ids}) AND ${watch.archivedAt} IS NULL
      ORDER BY ${watch.createdAt} DESC, ${watch.id} DESC`,
  )
}

/**
 * @param ids a SELECT of recipients' ids as `id`, or one id
 * @param since as `findHistories` takes it
 */
export function findWatchedHistories(ids: SQL, since: number | Placeholder) {
  return findHistories(
    sql`SELECT DISTINCT ${watch.sectionId} AS id FROM ${watch} WHERE ${watch.recipientId} IN (${ids}) AND ${watch.archivedAt} IS NULL`,
    since,
  )
}

/** Recipients newest first, each with its contacts (oldest first) and its watched sections (newest watch first). */
export function recipientsOf(
  [recipients, contacts, watched, changes]: readonly [
    readonly RecipientRow[],
    readonly ContactRow[],
    readonly WatchedRow[],
    readonly ChangeRow[],
  ],
  now: number,
): Recipient[] {
  const histories = historiesOf(changes, now)
  const contactsBy = Map.groupBy(contacts, (row) => row.recipient_id)
  const watchedBy = Map.groupBy(watched, (row) => row.recipient_id)
  return recipients.map(({ id, name, description, is_contact_by_phone }) => ({
    id,
    name,
    description,
    is_contact_by_phone,
    phone_numbers: (contactsBy.get(id) ?? []).map(contactOf),
    watched_sections: (watchedBy.get(id) ?? []).map((row) =>
      watchedSectionOf(row, histories.get(row.section_id) ?? []),
    ),
  }))
}

export function contactOf(row: ContactRow): Contact {
  return {
    id: row.id,
    kind: ContactKind.parse(row.kind),
    number: shownAddress(row),
    is_enabled: row.is_enabled,
    verified: row.verified_at !== null,
    opted_out: row.opted_out_at !== null,
  }
}

/** A device's address is nothing to read, and its keys are nobody's business. */
function shownAddress({ kind, address, device }: ContactRow): string {
  return kind === 'push' ? device || maskedAddress(kind, address) : address
}

/** Null when there is no such recipient. */
export async function readRecipient(db: D1Database, recipientId: number): Promise<RecipientContacts | null> {
  const id = sql`${recipientId}`
  const [[found], contacts] = await readTogether(db, findRecipients(id), findContacts(id))
  return found ? { recipient: found, contacts } : null
}

/** A recipient's rows as its forms show them. */
export function knownForms({ recipient, contacts }: RecipientContacts): KnownForms {
  return {
    recipient,
    contacts: contacts.map((row) => ({
      id: row.id,
      kind: row.kind,
      number: shownAddress(row),
      address: row.address,
      key: row.address_key,
      is_enabled: row.is_enabled,
    })),
  }
}
