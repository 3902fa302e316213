import { and, eq, type SQL, sql } from 'drizzle-orm'
import { into, type Query, query, template, writeTogether } from '../../db/query.ts'
import { readSetting } from '../../db/read-setting.ts'
import { contact, delivery, optOut as optOutTable, recipient } from '../../db/schema/index.ts'
import type { ContactKind } from '../../lib/contract.ts'
import { escapeHtml } from '../../notify/clean-text.ts'
import { isPhoneNumber } from '../../notify/sms/phone-address.ts'
import type { SmsKeyword } from '../../notify/sms/keywords.ts'
import { type Actor, auditRows } from '../../web/audit.ts'
import { productName } from './claim-delivery.ts'
import { clearLastAlert } from '../watches/last-alert.ts'

/**
 * Opt-outs belong to an address, not to a contact. They are remembered even if no contact has the address, and a
 * contact that gets it later starts opted out (triggers of migration 0018). `address_key` as in a contact.
 */
interface OptOutAddress {
  kind: ContactKind
  address_key: string
}

/** The addresses as {@link recordOptOut} takes them. */
export const selectAddresses = (addresses: readonly OptOutAddress[]): SQL =>
  sql`SELECT value ->> 'kind', value ->> 'address_key' FROM json_each(${JSON.stringify(addresses)})`

/**
 * Whether the page of a contact's recipient can undo its opt-out. A mailbox that unsubscribed, or reported spam, undoes
 * that itself, and a phone that replied STOP replies START.
 */
export const isUndoable: SQL<boolean> = sql`(${contact.optedOutAt} IS NOT NULL AND ${contact.kind} <> 'phone'
  AND (${contact.kind} <> 'email' OR EXISTS (SELECT 1 FROM ${optOutTable} WHERE ${optOutTable.kind} = ${contact.kind}
    AND ${optOutTable.addressKey} = ${contact.addressKey} AND ${optOutTable.isUndoable})))`

/**
 * Ends all messages to a recipient until the recipient's own page undoes it. Contacts that had opted out already are
 * left alone.
 * @returns after the first statement, those of {@link recordOptOut}
 */
export function stopAllMessages(recipientId: number, by: Actor, now: number): readonly [Query, ...OptOutQueries] {
  const wanting = sql`${contact.recipientId} = ${recipientId} AND ${contact.optedOutAt} IS NULL`
  const stopped = sql`SELECT ${recipient.id} AS row_key, ${recipient.name} AS title, NULL AS before, NULL AS after
    FROM ${recipient} WHERE ${recipient.id} = ${recipientId} AND EXISTS (SELECT 1 FROM ${contact} WHERE ${wanting})`
  const addresses = sql`SELECT ${contact.kind}, ${contact.addressKey} FROM ${contact} WHERE ${wanting}`
  return [
    auditRows(by, { act: 'stopped all messages', area: 'class_tracker', table: 'recipient' }, stopped, now),
    ...endMessages(addresses, { isUndoable: true }, now),
  ]
}

/**
 * Ends all messages to addresses that opted out themselves, including those not yet sent. Messages that may already have
 * been sent are looked up and then dropped by their own jobs. The first statement returns a row for each address that
 * wanted messages until now.
 * @param addresses a SELECT of their kinds and keys
 */
export const recordOptOut = (addresses: SQL, now: number): OptOutQueries => [
  ...endMessages(addresses, { isUndoable: false }, now),
  query
    .update(optOutTable)
    .set({ isUndoable: false })
    .where(sql`(${optOutTable.kind}, ${optOutTable.addressKey}) IN (${addresses})`),
]

type OptOutQueries = readonly [Query, ...Query[]]

function endMessages(addresses: SQL, { isUndoable: canUndo }: { isUndoable: boolean }, now: number): OptOutQueries {
  const isOfAddress = sql`(${contact.kind}, ${contact.addressKey}) IN (${addresses})`
  return [
    template(
      { at: optOutTable.at },
      (
        columns,
      ) => sql`INSERT INTO ${into(optOutTable, optOutTable.kind, optOutTable.addressKey, optOutTable.at, optOutTable.isUndoable)}
        SELECT a.*, ${now}, ${Number(canUndo)} FROM (${addresses}) a WHERE true ON CONFLICT DO NOTHING RETURNING ${columns}`,
    ),
    query
      .update(delivery)
      .set({ state: 'canceled', lastError: 'Opted out.' })
      .where(
        sql`${delivery.contactId} IN (SELECT ${contact.id} FROM ${contact} WHERE ${isOfAddress})
          AND ${delivery.state} IN ('waiting', 'held', 'queued')`,
      ),
    clearLastAlert(sql`SELECT ${delivery.id} AS id FROM ${delivery}
      WHERE ${delivery.contactId} IN (SELECT ${contact.id} FROM ${contact} WHERE ${isOfAddress})`),
    // This comes last: the addresses may be those of contacts that have not opted out.
    query
      .update(contact)
      .set({ optedOutAt: now })
      .where(sql`${isOfAddress} AND ${contact.optedOutAt} IS NULL`),
  ]
}

/** @returns whether the address wanted messages until now */
export async function optOut(db: D1Database, address: OptOutAddress, now: number): Promise<boolean> {
  const [remembered] = await writeTogether(db, recordOptOut(selectAddresses([address]), now))
  return remembered.rows.length === 1
}

/** Records that the person wants messages again. Canceled messages stay canceled. */
export async function optIn(db: D1Database, address: OptOutAddress): Promise<void> {
  await writeTogether(db, wantingAgain(address))
}

const wantingAgain = ({ kind, address_key }: OptOutAddress) => [
  query.delete(optOutTable).where(and(eq(optOutTable.kind, kind), eq(optOutTable.addressKey, address_key))),
  query
    .update(contact)
    .set({ optedOutAt: null })
    .where(and(eq(contact.kind, kind), eq(contact.addressKey, address_key))),
]

/** A number that has just sent a text exists. */
const reachableAgain = (phone: string): Query =>
  query
    .update(contact)
    .set({ undeliverableAt: null, undeliverableReason: null })
    .where(and(eq(contact.kind, 'phone'), eq(contact.addressKey, phone)))

/**
 * Marks contacts undeliverable that still have the messages' address; waiting messages end when their turn comes.
 * @param isMessage a condition on the deliveries
 * @param reason a sentence for staff
 */
export function markUndeliverable(isMessage: SQL, reason: string, now: number): Query {
  return query
    .update(contact)
    .set({ undeliverableAt: now, undeliverableReason: reason })
    .where(sql`${contact.undeliverableAt} IS NULL AND ${stillHasAddress(isMessage)}`)
}

/** Whether the contact still has the messages' address. @param isMessage a condition on the deliveries */
export const stillHasAddress = (isMessage: SQL): SQL => sql`(${contact.id}, ${contact.address}) IN (
  SELECT ${delivery.contactId}, ${delivery.address} FROM ${delivery} WHERE ${isMessage})`

/** The TwiML answer to HELP. */
async function helpMessage(db: D1Database): Promise<string> {
  const sender = (await readSetting(db, productName.setting)) ?? productName.initial
  return `<Message>${escapeHtml(sender)}: we text you when a seat opens in a class we watch for you. Reply STOP to opt out, START to opt back in.</Message>`
}

/**
 * Handles the reply to a text. Twilio itself confirms STOP and START, so we do not, and blocks a number after STOP; our
 * record shows it to staff and prevents further tries. A number that is no longer a contact counts, too.
 * @param from the phone, E.164
 * @returns the content of the TwiML answer
 */
export async function handleReply(db: D1Database, from: string, keyword: SmsKeyword, now: number): Promise<string> {
  if (keyword === 'help') return helpMessage(db)
  if (!isPhoneNumber(from)) return ''
  const phone = { kind: 'phone', address_key: from } as const
  if (keyword === 'stop') await optOut(db, phone, now)
  else await writeTogether(db, [...wantingAgain(phone), reachableAgain(from)])
  return ''
}
