import { readTogether } from '../../db/read-together.ts'
import { type Contact, ContactKind, type Recipient } from '../contract.ts'
import {
  type ChangeRow,
  historiesOf,
  historyStatement,
  watchedColumns,
  watchedSectionOf,
  watchedTables,
  type WatchedRow,
} from '../watches/watched-section.ts'

export interface RecipientRow {
  id: number
  name: string
  description: string
  is_contact_by_phone: number
}

export interface ContactRow {
  id: number
  recipient_id: number
  kind: string
  address: string
  address_key: string
  is_enabled: number
  verified_at: number | null
  opted_out_at: number | null
}

/** Which recipients: a SELECT of their ids as `id`, and what it binds. */
export interface Scope {
  ids: string
  values: readonly unknown[]
}

export type RecipientLists = [RecipientRow[], ContactRow[], (WatchedRow & { recipient_id: number })[], ChangeRow[]]

/** Everything {@link recipientsOf} needs, for one batch whatever the number of recipients. */
export function recipientStatements(db: D1Database, { ids, values }: Scope, now: number) {
  return [
    db
      .prepare(`SELECT id, name, description, is_contact_by_phone FROM recipient WHERE id IN (${ids}) ORDER BY id DESC`)
      .bind(...values),
    contactsStatement(db, { ids, values }),
    db
      .prepare(
        `SELECT w.recipient_id, ${watchedColumns}
         FROM watch w CROSS JOIN section s ON s.id = w.section_id ${watchedTables}
         WHERE w.recipient_id IN (${ids}) AND w.archived_at IS NULL ORDER BY w.created_at DESC, w.id DESC`,
      )
      .bind(...values),
    historyStatement(
      db,
      `SELECT DISTINCT section_id AS id FROM watch WHERE recipient_id IN (${ids}) AND archived_at IS NULL`,
      values,
      now,
    ),
  ] as const
}

function contactsStatement(db: D1Database, { ids, values }: Scope): D1PreparedStatement {
  return db
    .prepare(
      `SELECT id, recipient_id, kind, address, address_key, is_enabled, verified_at, opted_out_at
       FROM contact WHERE recipient_id IN (${ids}) ORDER BY id`,
    )
    .bind(...values)
}

/** Recipients newest first, each with its contacts (oldest first) and its watched sections (newest watch first). */
export function recipientsOf([recipients, contacts, watched, changes]: RecipientLists, now: number): Recipient[] {
  const histories = historiesOf(changes, now)
  const contactsBy = Map.groupBy(contacts, (contact) => contact.recipient_id)
  const watchedBy = Map.groupBy(watched, (row) => row.recipient_id)
  return recipients.map((recipient) => ({
    id: recipient.id,
    name: recipient.name,
    description: recipient.description,
    is_contact_by_phone: recipient.is_contact_by_phone === 1,
    phone_numbers: (contactsBy.get(recipient.id) ?? []).map(contactOf),
    watched_sections: (watchedBy.get(recipient.id) ?? []).map((row) =>
      watchedSectionOf(row, histories.get(row.section_id) ?? []),
    ),
  }))
}

export function contactOf(row: ContactRow): Contact {
  return {
    id: row.id,
    kind: ContactKind.parse(row.kind),
    number: row.address,
    is_enabled: row.is_enabled === 1,
    verified: row.verified_at !== null,
    opted_out: row.opted_out_at !== null,
  }
}

/** One recipient and its contacts, without what it watches; null when there is none. */
export async function readRecipient(
  db: D1Database,
  recipientId: number,
): Promise<{ recipient: RecipientRow; contacts: ContactRow[] } | null> {
  const [recipients, contacts] = await readTogether<[RecipientRow[], ContactRow[]]>(
    db,
    db.prepare('SELECT id, name, description, is_contact_by_phone FROM recipient WHERE id = ?').bind(recipientId),
    contactsStatement(db, { ids: '?', values: [recipientId] }),
  )
  const [recipient] = recipients
  return recipient ? { recipient, contacts } : null
}
