import type { CheckedForms } from './check-forms.ts'

/**
 * The statements that make a recipient and its contacts what the forms say; to be run in one batch. A recipient that was
 * removed meanwhile is not brought back.
 */
export function writeRecipient(
  db: D1Database,
  recipientId: number,
  checked: CheckedForms,
  now: number,
): D1PreparedStatement[] {
  const statements = [recipientId === 0 ? addRecipient(db, checked, now) : changeRecipient(db, recipientId, checked)]
  const kept = checked.contacts.filter((contact) => contact.id !== null)
  if (kept.length > 0) {
    const list = JSON.stringify(
      kept.map((contact) => [
        contact.id,
        contact.values.kind,
        contact.address,
        contact.key,
        Number(contact.values.is_enabled),
        Number(contact.is_moved),
      ]),
    )
    statements.push(
      parkMoved(db, recipientId, list),
      changeContacts(db, recipientId, list),
      redirectWaiting(db, recipientId, list),
    )
  }
  const added = checked.contacts.find((contact) => contact.id === null)
  if (added) {
    // Without AUTOINCREMENT the newest row of this transaction has the largest id.
    const owner = recipientId === 0 ? '(SELECT max(id) FROM recipient)' : '?'
    const values = [added.values.kind, added.address, added.key, Number(added.values.is_enabled), now]
    statements.push(
      db
        .prepare(
          `INSERT INTO contact (recipient_id, kind, address, address_key, is_enabled, created_at)
           SELECT id, ?, ?, ?, ?, ? FROM recipient WHERE id = ${owner}`,
        )
        .bind(...values, ...(recipientId === 0 ? [] : [recipientId])),
    )
  }
  return statements
}

function addRecipient(db: D1Database, { recipient }: CheckedForms, now: number): D1PreparedStatement {
  return db
    .prepare('INSERT INTO recipient (name, description, is_contact_by_phone, created_at) VALUES (?, ?, ?, ?)')
    .bind(recipient.name, recipient.description, Number(recipient.is_contact_by_phone), now)
}

function changeRecipient(db: D1Database, recipientId: number, { recipient }: CheckedForms): D1PreparedStatement {
  return db
    .prepare('UPDATE recipient SET name = ?, description = ?, is_contact_by_phone = ? WHERE id = ?')
    .bind(recipient.name, recipient.description, Number(recipient.is_contact_by_phone), recipientId)
}

/** The contacts as a table: id, kind, address, key, is_enabled, is_moved by position. */
const listed = 'json_each(?) v WHERE contact.id = v.value ->> 0 AND contact.recipient_id = ?'

/** Two contacts may swap their addresses: for a moment nobody has them. */
function parkMoved(db: D1Database, recipientId: number, list: string): D1PreparedStatement {
  return db
    .prepare(`UPDATE contact SET address_key = 'moving ' || contact.id FROM ${listed} AND v.value ->> 5`)
    .bind(list, recipientId)
}

/** What is remembered of an address (`opted_out_at`) comes with it: a trigger takes it over. */
function changeContacts(db: D1Database, recipientId: number, list: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE contact
       SET kind = v.value ->> 1, address = v.value ->> 2, address_key = v.value ->> 3, is_enabled = v.value ->> 4,
           verified_at = iif(v.value ->> 5, NULL, verified_at)
       FROM ${listed}`,
    )
    .bind(list, recipientId)
}

/** What still waits goes to the corrected address. What may have been taken stays where it went. */
function redirectWaiting(db: D1Database, recipientId: number, list: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE delivery SET channel = v.value ->> 1, address = v.value ->> 2
       FROM json_each(?) v
       WHERE v.value ->> 5 AND delivery.contact_id = v.value ->> 0 AND delivery.recipient_id = ?
         AND delivery.state = 'queued' AND delivery.body IS NULL`,
    )
    .bind(list, recipientId)
}
