import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  constant,
  excluded,
  into,
  names,
  query,
  readFirst,
  refusalIn,
  refuseUnless,
  statement,
  template,
  writeTogether,
} from '../../db/query.ts'
import { contact, delivery, optOut, recipient } from '../../db/schema/index.ts'
import { addressKey } from '../../notify/addresses.ts'
import { DAY_MS } from '../../lib/time.ts'
import { oneLine } from '../../notify/clean-text.ts'
import { pushAddress, type Subscription } from '../../notify/push/push-address.ts'
import { forbidden, unprocessable } from '../../web/refusal.ts'
import { recordSeen } from '../deliveries/record-seen.ts'
import { deviceToken, idIn, isDeviceTokenOf } from '../recipients/signed-id.ts'
import { audit, type OwnChange } from './own-changes.ts'
import { d } from '../aliases.ts'

const old = alias(contact, 'old')

const MAX_DEVICES = 10
/** How long a device whose subscription ended may report a new one. */
const KEEP_ENDED_MS = 30 * DAY_MS
const MAX_DEVICE_NAME = 60
const ofAnother =
  'This browser is set up for the class alerts of someone else. To get these, first remove it on their page, or ask the person who set up the alerts.'
const tooMany = `You have ${MAX_DEVICES} devices: remove one first.`

/** How many other devices of the recipient can be reached. */
const countOthers = (recipientId: SQL, key: string): SQL =>
  sql`(SELECT count(*) FROM ${contact} WHERE ${contact.recipientId} = ${recipientId} AND ${contact.kind} = 'push'
    AND ${contact.addressKey} <> ${key} AND ${contact.undeliverableAt} IS NULL)`

/** Throws the sentence that refused the change, otherwise the error. */
function throwExplained(error: unknown): never {
  const sentence = refusalIn(error)
  throw sentence === null ? error : unprocessable(sentence)
}

/**
 * A browser gets one recipient's messages. It is not taken from another, who would get none without knowing.
 * @param by.name the device's name
 * @param by.isByOwnLink whether it is added with the link to the recipient's own page
 * @returns its token
 * @throws unprocessable when there are too many, or when it is another recipient's
 */
export async function addDevice(
  env: Env,
  change: OwnChange,
  subscription: Subscription,
  { name, isByOwnLink }: { name: string; isByOwnLink: boolean },
): Promise<string> {
  const { owner, now } = change
  const address = pushAddress(subscription)
  const key = addressKey('push', address)
  const linkVersion = isByOwnLink ? owner.link_version : null
  const device = oneLine(name, MAX_DEVICE_NAME) || 'Device'
  const isDevice = and(eq(contact.kind, 'push'), eq(contact.addressKey, key))
  const isLongDead = sql`${contact.recipientId} = ${owner.id} AND ${contact.kind} = 'push' AND ${contact.undeliverableAt} < ${now - KEEP_ENDED_MS}`
  const [, , , , added] = await writeTogether(env.DB, [
    refuseUnless(
      sql`NOT EXISTS (SELECT 1 FROM ${contact} WHERE ${isDevice} AND ${contact.recipientId} <> ${owner.id})`,
      ofAnother,
    ),
    refuseUnless(sql`${countOthers(sql`${owner.id}`, key)} < ${MAX_DEVICES}`, tooMany),
    query.delete(contact).where(isLongDead),
    // Each page that is opened adds its device again.
    audit(
      change,
      'added a device',
      { device },
      sql`EXISTS (SELECT 1 FROM ${recipient} WHERE ${recipient.id} = ${owner.id}) AND NOT EXISTS (SELECT 1 FROM ${contact}
        WHERE ${isDevice} AND ${contact.recipientId} = ${owner.id} AND ${contact.isEnabled} AND ${contact.optedOutAt} IS NULL)`,
    ),
    template(
      { id: contact.id },
      (
        columns,
      ) => sql`INSERT INTO ${into(contact, contact.recipientId, contact.kind, contact.address, contact.addressKey, contact.device, contact.createdAt, contact.linkVersion)}
        SELECT ${recipient.id}, 'push', ${address}, ${key}, ${device}, ${now}, ${linkVersion} FROM ${recipient} WHERE ${recipient.id} = ${owner.id}
        ON CONFLICT (${names(contact.kind, contact.addressKey)}) DO UPDATE
        SET ${names(contact.address)} = ${address}, ${names(contact.device)} = ${device}, ${names(contact.isEnabled)} = 1,
          ${names(contact.undeliverableAt)} = NULL, ${names(contact.undeliverableReason)} = NULL,
          ${names(contact.linkVersion)} = coalesce(${excluded(contact.linkVersion)}, ${contact.linkVersion})
        RETURNING ${columns}`,
    ),
    // Its owner asks for messages again; a trigger forgets the opt-out of the address.
    query.update(contact).set({ optedOutAt: null }).where(isDevice),
  ]).catch(throwExplained)
  const [row] = added.rows
  if (!row) throw unprocessable('This recipient no longer exists.')
  return deviceToken(env, row.id, address)
}

/** The device that a token belongs to. @throws forbidden */
export async function deviceOf(env: Env, token: string): Promise<{ id: number; address: string }> {
  const found = await readFirst(
    env.DB,
    query
      .select({ id: contact.id, address: contact.address })
      .from(contact)
      .where(and(eq(contact.id, idIn(token) ?? 0), eq(contact.kind, 'push'))),
  )
  if (found === null || !(await isDeviceTokenOf(env, token, found.id, found.address)))
    throw forbidden('Forbidden: this device is not known here.')
  return found
}

/**
 * Stores the new subscription that a browser gave its device (`pushsubscriptionchange`). A device that opted out stays
 * so. If the recipient's page has already added it, the old contact stays, and is not reachable once its push service
 * rejects a message.
 * @returns the token of the contact with the new subscription
 * @throws forbidden; unprocessable if it would bring back an ended device and there are too many
 */
export async function moveDevice(env: Env, token: string, subscription: Subscription): Promise<string> {
  const { id } = await deviceOf(env, token)
  const address = pushAddress(subscription)
  const key = addressKey('push', address)
  const owner = sql`(SELECT ${old.recipientId} FROM ${contact} ${old} WHERE ${old.id} = ${id})`
  const isReachable = sql`EXISTS (SELECT 1 FROM ${contact} ${old} WHERE ${old.id} = ${id} AND ${old.undeliverableAt} IS NULL)`
  const isKnown = sql`EXISTS (SELECT 1 FROM ${contact} WHERE ${contact.kind} = 'push' AND ${contact.addressKey} = ${key})`
  const [, , , found] = await writeTogether(env.DB, [
    refuseUnless(sql`${isReachable} OR ${countOthers(owner, key)} < ${MAX_DEVICES}`, tooMany),
    // A trigger gives a contact the opt-out of its new address.
    statement(sql`INSERT INTO ${into(optOut, optOut.kind, optOut.addressKey, optOut.at)}
      SELECT 'push', ${key}, ${old.optedOutAt} FROM ${contact} ${old}
      WHERE ${old.id} = ${id} AND ${old.optedOutAt} IS NOT NULL AND NOT ${isKnown} ON CONFLICT DO NOTHING`),
    statement(sql`UPDATE OR IGNORE ${contact}
      SET ${names(contact.address)} = ${address}, ${names(contact.addressKey)} = ${key} WHERE ${contact.id} = ${id}`),
    query
      .select({ id: contact.id })
      .from(contact)
      .where(and(eq(contact.kind, 'push'), eq(contact.addressKey, key), sql`${contact.recipientId} = ${owner}`)),
  ]).catch(throwExplained)
  return deviceToken(env, found.rows[0]?.id ?? id, address)
}

/**
 * Records a device's report on a notification. Reports may come late, twice and in any order. The first verifies the
 * contact and cancels the waiting text. Nobody heard a notification that was shown without sound: the text held for the
 * morning is canceled only once it is opened. A device that shows one late and without sound does not report that.
 */
export async function recordReceipt(
  db: D1Database,
  contactId: number,
  { id, first_tried_at }: { id: number; first_tried_at: number },
  event: 'shown' | 'opened',
  now: number,
): Promise<void> {
  const isOpened = constant(Number(event === 'opened'))
  const ofDelivery = (column: SQLiteColumn, condition = sql`true`) => sql`(SELECT ${column} FROM ${delivery} ${d}
    WHERE ${d.id} = ${id} AND ${d.contactId} = ${contactId} AND ${d.firstTriedAt} = ${first_tried_at} AND ${condition})`
  const first = (column: SQLiteColumn) => sql`coalesce(${column}, ${now})`
  const ofSeen = (column: SQLiteColumn) => ofDelivery(column, sql`(${isOpened} OR NOT ${d.isSilent})`)
  const seen = { delivery_id: ofSeen(d.id), poll_id: ofSeen(d.pollId), recipient_id: ofSeen(d.recipientId) }
  await writeTogether(db, [
    ...recordSeen(seen, event, now),
    query
      .update(delivery)
      .set({
        state: sql`iif(${isOpened} OR ${delivery.state} = 'opened', 'opened', 'delivered')`,
        acceptedAt: first(delivery.acceptedAt),
        deliveredAt: first(delivery.deliveredAt),
        ...(event === 'opened' && { openedAt: first(delivery.openedAt) }),
        lastError: null,
      })
      .where(sql`${delivery.id} = ${ofDelivery(d.id)}`),
    query
      .update(contact)
      .set({ verifiedAt: now })
      .where(and(eq(contact.id, contactId), isNull(contact.verifiedAt))),
  ])
}
