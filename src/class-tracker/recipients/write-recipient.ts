import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { constant, into, names, type Query, query, statement } from '../../db/query.ts'
import { contact, delivery, recipient } from '../../db/schema/index.ts'
import { renewOwnLink } from './own-link.ts'
import { smsAfterMs, waitsForPush } from './held-until.ts'
import type { CheckedForms } from './check-forms.ts'

/**
 * Writes a recipient and its posted contacts in one batch; what was not typed stays as it is, even if it has just been
 * changed. A recipient removed in the meantime is not created again.
 */
export function writeRecipient(recipientId: number, checked: CheckedForms, now: number): Query[] {
  const statements = [writeOwnFields(recipientId, checked, now)]
  const known = checked.contacts.filter(({ id, is_posted }) => id !== null && is_posted)
  if (known.length > 0) {
    const list = JSON.stringify(
      known.map(({ id, values, address, key, is_moved, is_typed }) => [
        id,
        values.kind,
        address,
        key,
        Number(values.is_enabled),
        Number(is_moved),
        Number(is_typed),
      ]),
    )
    statements.push(
      freeMovedAddresses(recipientId, list),
      changeContacts(recipientId, list),
      redirectWaiting(recipientId, list, now),
    )
    // The owner of the old address may have the link.
    if (known.some(({ is_moved }) => is_moved)) statements.push(renewOwnLink(sql`${recipientId}`))
  }
  const added = checked.contacts.find(({ id }) => id === null)
  if (added) {
    const { kind, is_enabled } = added.values
    statements.push(
      statement(sql`INSERT INTO ${into(contact, contact.recipientId, contact.kind, contact.address, contact.addressKey, contact.isEnabled, contact.createdAt)}
        SELECT ${recipient.id}, ${kind}, ${added.address}, ${added.key}, ${Number(is_enabled)}, ${now}
        FROM ${recipient} WHERE ${recipient.id} = ${savedId(recipientId)}`),
    )
  }
  return statements
}

/** The id of the recipient that is being saved; 0: of the one that this transaction has added. */
export function savedId(recipientId: number): SQL {
  // Without AUTOINCREMENT the newest row has the largest id.
  return recipientId === 0 ? sql`(SELECT max(${recipient.id}) FROM ${recipient})` : sql`${recipientId}`
}

function writeOwnFields(recipientId: number, { recipient: own }: CheckedForms, now: number): Query {
  const columns = { name: own.name, description: own.description, isContactByPhone: own.is_contact_by_phone }
  if (recipientId === 0) return query.insert(recipient).values({ ...columns, createdAt: now })
  return query.update(recipient).set(columns).where(eq(recipient.id, recipientId))
}

/** The contacts as a table `v`: id, kind, address, key, is_enabled, is_moved, is_typed by position. */
function fromList(recipientId: number, list: string): SQL {
  return sql`FROM json_each(${list}) v WHERE ${contact.id} = v.value ->> 0 AND ${contact.recipientId} = ${recipientId}`
}

/** Two contacts may swap addresses, so the old ones are cleared first. */
function freeMovedAddresses(recipientId: number, list: string): Query {
  return statement(sql`UPDATE ${contact} SET ${names(contact.addressKey)} = 'moving ' || ${contact.id}
    ${fromList(recipientId, list)} AND v.value ->> 5`)
}

/** A trigger copies the address's opt-out (`opted_out_at`). */
function changeContacts(recipientId: number, list: string): Query {
  const { kind, address, addressKey } = contact
  const ifTyped = (column: SQLiteColumn, place: number) =>
    sql`${names(column)} = iif(v.value ->> 6, v.value ->> ${constant(place)}, ${column})`
  return statement(sql`UPDATE ${contact}
    SET ${ifTyped(kind, 1)}, ${ifTyped(address, 2)}, ${ifTyped(addressKey, 3)}, ${names(contact.isEnabled)} = v.value ->> 4,
      ${names(contact.verifiedAt)} = iif(v.value ->> 5, NULL, ${contact.verifiedAt})
    ${fromList(recipientId, list)}`)
}

/**
 * Unsent messages go to the corrected address, also one that a runner has just claimed, whose claim ends. Messages that
 * may have been sent keep theirs. What becomes a text may have to wait for a notification to be seen, and what waited
 * as a text no longer has to. Nothing waits for the former provider; the pacer knows whether the present one is paused.
 */
function redirectWaiting(recipientId: number, list: string, now: number): Query {
  const { state, channel, dueAt, restartedAt, createdAt, batchKey, lookAt } = delivery
  const kind = sql`v.value ->> 1`
  const stays = sql`(${state} = 'held' OR ${state} = 'waiting' AND ${kind} = 'phone')`
  const waits = sql`(${kind} = 'phone' AND ${channel} <> 'phone' AND (SELECT ${waitsForPush} FROM ${contact}
    JOIN ${recipient} ON ${recipient.id} = ${contact.recipientId} WHERE ${contact.id} = ${delivery.contactId}))`
  return statement(sql`UPDATE ${delivery}
    SET ${names(channel)} = ${kind}, ${names(delivery.address)} = v.value ->> 2, ${names(batchKey)} = NULL, ${names(lookAt)} = NULL,
      ${names(state)} = CASE WHEN ${stays} THEN ${state} WHEN ${waits} THEN 'waiting' ELSE 'queued' END,
      ${names(dueAt)} = CASE WHEN ${stays} THEN ${dueAt}
        WHEN ${waits} THEN max(${now}, coalesce(${restartedAt}, ${createdAt}) + ${smsAfterMs})
        ELSE ${now} END
    FROM json_each(${list}) v
    WHERE v.value ->> 5 AND ${delivery.contactId} = v.value ->> 0 AND ${delivery.recipientId} = ${recipientId}
      AND ${state} IN ('waiting', 'held', 'queued', 'sending') AND ${delivery.body} IS NULL`)
}
