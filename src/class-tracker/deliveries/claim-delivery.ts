import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  constant,
  names,
  parameter,
  prepared,
  query,
  readTogether,
  type RowOf,
  statement,
  template,
  write,
} from '../../db/query.ts'
import { settingNumber, settingValue } from '../../db/read-setting.ts'
import {
  classAlert,
  contact,
  course,
  delivery,
  deliveryAlert,
  recipient,
  school,
  schoolTerm,
  section,
  sectionGroup,
  source,
  term,
  watch,
  isUnsettled,
  canBeMessaged,
} from '../../db/schema/index.ts'
import type { BatchCall } from '../../jobs/call-batcher.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { addressKey } from '../../notify/addresses.ts'
import { DEFAULT_TIMEOUT_MS } from '../../notify/channel.ts'
import { MAX_BELIEF_AGE_MS, seatUnconfirmed, vouchedUntilOf } from '../alerts/seen-open.ts'
import { observedAtOf } from '../courses/observed-at.ts'
import { linkFields } from '../courses/section-link.ts'
import { alertLife, heldUntil } from '../recipients/held-until.ts'
import type { LinkedRecipient } from '../recipients/own-link.ts'
import { isUnsentEnd } from '../watches/last-alert.ts'
import { CLAIM_MS, MAX_TRY_MS, type Cancellation } from './delivery-rules.ts'
import { isOpenAgain, seatGone, splitOffGone } from './left-out.ts'
import { claimOrHold } from './of-contact.ts'
import { seatsLeft, shownNumber } from '../courses/section-row.ts'
import { isIn } from '../../db/json-argument.ts'

/** The sender's name in messages: the setting `product_name`. */
export const productName = { setting: 'product_name', initial: 'Class Cords' } as const

/** A longer timeout would outlast the claim. */
export const providerTimeout = {
  setting: 'provider_timeout_ms',
  initial: DEFAULT_TIMEOUT_MS,
  minimum: 100,
  maximum: DEFAULT_TIMEOUT_MS,
} as const

/** A delivery's state. `due_at` matters until it is sent or given up. */
export interface DeliveryStatus {
  state: string
  due_at: number
  last_error: string | null
}

type Claim = { kind: 'claimed'; delivery: ClaimedDelivery } | { kind: 'not_ours'; status: DeliveryStatus | null }

const earlier = alias(delivery, 'earlier')
/** Whether no text to this contact's number has been accepted yet. */
const isFirstText = sql`(${delivery.channel} = 'phone' AND NOT EXISTS (SELECT 1 FROM ${delivery} ${earlier}
  WHERE ${earlier.contactId} = ${delivery.contactId} AND ${earlier.address} = ${delivery.address}
    AND ${earlier.acceptedAt} IS NOT NULL))`

const seen = alias(delivery, 'seen')
const reader = alias(recipient, 'reader')
/**
 * Whether this is a retry of a text whose recipient has since seen another message about the same alerts. (A text that
 * was never tried is ended by {@link recordSeen}.) Costs no reads for other deliveries.
 */
const isSeenElsewhere = sql`iif(${delivery.channel} = 'phone' AND ${delivery.triedAt} IS NOT NULL,
  EXISTS (SELECT 1 FROM ${delivery} ${seen} JOIN ${recipient} ${reader} ON ${reader.id} = ${seen.recipientId} AND NOT ${reader.isSmsAtOnce}
    WHERE ${seen.recipientId} = ${delivery.recipientId} AND +${seen.pollId} = ${delivery.pollId} AND ${seen.id} <> ${delivery.id}
      AND ${seen.seenAt} >= coalesce(${delivery.restartedAt}, ${delivery.createdAt})), 0)`

/** Everything about deliveries that their messages need at `now` (ms), except their alerts. */
export function selectClaimed(now: number | SQL) {
  return query
    .select({
      id: delivery.id,
      state: delivery.state,
      due_at: delivery.dueAt,
      channel: delivery.channel,
      address: delivery.address,
      contact_id: delivery.contactId,
      attempts: delivery.attempts,
      tried_at: delivery.triedAt,
      first_tried_at: delivery.firstTriedAt,
      /**
       * The stored message ({@link StoredMessage} as JSON) while the provider may have a copy; '' if that was sent as
       * part of a batch; otherwise null.
       */
      body: delivery.body,
      batch_key: delivery.batchKey,
      is_repeated: delivery.isRepeated,
      is_silent: delivery.isSilent,
      last_error: delivery.lastError,
      contact_kind: contact.kind,
      contact_key: contact.addressKey,
      is_enabled: contact.isEnabled,
      opted_out_at: contact.optedOutAt,
      undeliverable_at: contact.undeliverableAt,
      is_usable: sql`(${canBeMessaged})`.mapWith(Boolean),
      /** Until when its recipient wants quiet, in ms, or 0: until then it is looked up if it may have arrived, but not sent. */
      held_until: sql<number>`${heldUntil(now)}`,
      created_at: delivery.createdAt,
      /** Its age counts from here. */
      started_at: sql<number>`coalesce(${delivery.restartedAt}, ${delivery.createdAt})`,
      /** Whether it was held or retried by a person: what its alerts say may be hours old. */
      is_late: sql`${delivery.restartedAt} IS NOT NULL`.mapWith(Boolean),
      /** How long the provider may take for one answer. */
      timeout_ms: settingNumber(providerTimeout),
      life_minutes: settingNumber(alertLife),
      /** The code in its link; every claimed delivery has one. */
      link_code: delivery.linkCode,
      recipient_id: recipient.id,
      recipient_created_at: recipient.createdAt,
      link_version: recipient.linkVersion,
      product_name: settingValue(productName.setting),
      is_first: isFirstText.mapWith(Boolean),
      /** When a person certainly saw this message, in ms: it then arrived, whatever its provider said. */
      seen_at: delivery.seenAt,
      is_seen_elsewhere: isSeenElsewhere.mapWith(Boolean),
    })
    .from(delivery)
    .innerJoin(recipient, eq(recipient.id, delivery.recipientId))
    .leftJoin(contact, eq(contact.id, delivery.contactId))
}
export type ClaimedRow = RowOf<ReturnType<typeof selectClaimed>>

/** A delivery that is ours until `claim` (ms). `due_at` rises with every claim, and each later write depends on it. */
export interface ClaimedDelivery extends Omit<ClaimedRow, 'state'> {
  claim: number
  /** Its contact has another address since a copy may have gone to this one. */
  is_moved: boolean
  /** Why it is no longer wanted; null when it is. */
  cancellation: Cancellation | null
  /** The alerts that may be sent: whose seats may still be available. */
  alerts: AlertToSend[]
  /** The ids of the alerts that a new text leaves out because their seats are gone. */
  left_out: number[]
  /** Whether the message would name a section, if it were repeated, whose seat is gone or that needs no message any more. */
  has_gone: boolean
  /** Those of its sections about which there may be a later message. */
  told_again: number[]
  /** When it becomes too old to send, in ms. */
  expires_at: number
  link_code: string
  /** Its recipient, on whom the link to their own page depends. */
  recipient: LinkedRecipient
}

const findClaimed = prepared(() => selectClaimed(parameter('now')).where(isIn(delivery.id, parameter('ids'))))

const [own, later] = [alias(delivery, 'own'), alias(delivery, 'later')]
const [ofLater, laterAlert] = [alias(deliveryAlert, 'of_later'), alias(classAlert, 'later_alert')]
/**
 * Whether a later message to the same contact, which did not wait as long for its turn, told of the section. Costs reads
 * only where one may have. Of notifications, the last one stays.
 */
const isToldSince = sql`iif(${watch.lastAlertAt} > ${classAlert.createdAt}, EXISTS (
  SELECT 1 FROM ${delivery} ${own}
  CROSS JOIN ${delivery} ${later} ON ${later.contactId} = ${own.contactId} AND ${later.id} > ${own.id}
    AND ${later.createdAt} > coalesce(${own.restartedAt}, ${own.createdAt})
    AND ${later.acceptedAt} IS NOT NULL AND NOT ${isUnsentEnd(later.state)}
  CROSS JOIN ${deliveryAlert} ${ofLater} ON ${ofLater.deliveryId} = ${later.id}
  CROSS JOIN ${classAlert} ${laterAlert} ON ${laterAlert.id} = ${ofLater.alertId}
    AND ${laterAlert.sectionId} = ${classAlert.sectionId}
  WHERE ${own.id} = ${deliveryAlert.deliveryId} AND ${own.channel} <> 'push'), 0)`

/** The alerts of deliveries. */
function alertsWhere(condition: SQL) {
  return query
    .select({
      id: deliveryAlert.alertId,
      delivery_id: deliveryAlert.deliveryId,
      /** Not canceled, and the section is still watched. */
      is_wanted: sql`${classAlert.canceledAt} IS NULL AND ${watch.id} IS NOT NULL`.mapWith(Boolean),
      is_told_since: isToldSince.mapWith(Boolean),
      section_id: classAlert.sectionId,
      last_alert_at: watch.lastAlertAt,
      status: section.status,
      kind: classAlert.kind,
      code: course.code,
      level: course.level,
      title: course.title,
      topic: section.topic,
      section: section.section,
      instruction_list: section.instructionList,
      seats_available: seatsLeft,
      capacity: section.capacity,
      observed_at: observedAtOf(section, sectionGroup),
      set_open_at: section.setOpenAt,
      vouched_until: vouchedUntilOf(section, sectionGroup),
      school: school.name,
      term: term.fullTermName,
      time_zone: source.timeZone,
      ...linkFields,
      number: shownNumber,
      place: section.place,
    })
    .from(deliveryAlert)
    .innerJoin(classAlert, eq(classAlert.id, deliveryAlert.alertId))
    .leftJoin(
      watch,
      sql`${watch.recipientId} = ${classAlert.recipientId} AND ${watch.sectionId} = ${classAlert.sectionId}
        AND ${watch.archivedAt} IS NULL`,
    )
    .innerJoin(section, eq(section.id, classAlert.sectionId))
    .innerJoin(course, eq(course.id, section.courseId))
    .innerJoin(sectionGroup, eq(sectionGroup.id, section.groupId))
    .innerJoin(schoolTerm, eq(schoolTerm.id, section.schoolTermId))
    .innerJoin(term, eq(term.id, schoolTerm.termId))
    .innerJoin(school, eq(school.id, schoolTerm.schoolId))
    .innerJoin(source, eq(source.id, school.sourceId))
    .where(condition)
    .orderBy(classAlert.id)
}

const findAlerts = prepared(() => alertsWhere(isIn(deliveryAlert.deliveryId, parameter('ids'))))

/** The alerts of all deliveries in the request `key`. */
export const findAlertsOfBatch = prepared(() =>
  alertsWhere(sql`${deliveryAlert.deliveryId} IN (
    SELECT ${delivery.id} FROM ${delivery} WHERE ${delivery.batchKey} = ${parameter('key')})`),
)

/** One alert of a delivery, with its section as it is now. */
export type AlertToSend = RowOf<ReturnType<typeof findAlertsOfBatch>>

/** Whether the seat may still be there: an unknown status counts as open, as it was when the alert was made. */
function isStillOpen({ status }: AlertToSend): boolean {
  return status === 'open' || status === 'unknown'
}

/**
 * Whether the alert may be sent. A late message says only what was read shortly before it was woken or retried, or
 * since, or what a person vouches for; any other was written when its seats were seen.
 */
const isBelieved =
  ({ is_late, started_at }: ClaimedRow) =>
  (alert: AlertToSend): boolean =>
    isStillOpen(alert) &&
    (!is_late || (alert.observed_at ?? 0) >= started_at - MAX_BELIEF_AGE_MS || (alert.vouched_until ?? 0) >= started_at)

const claimDue = prepared(() =>
  template(
    { id: delivery.id, state: delivery.state },
    (columns) => sql`UPDATE ${delivery}
      SET ${claimOrHold(parameter('now'), parameter('claim'))}
      WHERE ${isIn(delivery.id, parameter('ids'))} AND ${isUnsettled} AND ${delivery.dueAt} <= ${parameter('now')}
        AND (${delivery.batchKey} IS NULL OR ${delivery.body} IS NULL)
      RETURNING ${columns}`,
  ),
)

const unclaim = prepared(() =>
  statement(sql`UPDATE ${delivery} SET ${names(delivery.state)} = 'queued', ${names(delivery.dueAt)} = ${parameter('now')}
    WHERE ${isIn(delivery.id, parameter('ids'))} AND ${delivery.state} = 'sending' AND ${delivery.dueAt} = ${parameter('claim')}
      AND ${delivery.body} IS NULL`),
)

/**
 * Claims deliveries that are due and not part of a batch request, holds those whose recipients now want quiet, and
 * reads everything that their messages need, in one round trip. If two runners ask at the same time, one gets the
 * delivery. A lost claim (its runner died) becomes due like any other delivery.
 * @param wanted their ids, and the clock (ms since epoch)
 */
export const claimDeliveries: BatchCall<{ id: number; now: number }, Claim> = async ({ DB }, wanted) => {
  const now = Math.max(...wanted.map((one) => one.now))
  const ids = JSON.stringify(wanted.map(({ id }) => id))
  const claim = now + CLAIM_MS
  const [claims, rows, alerts] = await readTogether(
    DB,
    claimDue({ ids, now, claim }),
    findClaimed({ ids, now }),
    findAlerts({ ids }),
  ).catch(async (error: unknown) => {
    // The claim may have been written although its answer was lost: its messages would wait until it expires. Another
    // runner's claim in the same millisecond is undone too, and that runner then sends nothing.
    await orWarn(write(DB, unclaim({ ids, claim, now })), { event: 'claims_not_undone' }, null)
    throw error
  })
  const claimed = new Set(claims.filter(({ state }) => state !== 'held').map(({ id }) => id))
  return wanted.map(({ id }): Claim => {
    const row = rows.find((one) => one.id === id)
    if (!row) return { kind: 'not_ours', status: null }
    // A second claim of the same delivery must not get it again.
    if (!claimed.delete(id)) return { kind: 'not_ours', status: row }
    const own = alerts.filter(({ delivery_id }) => delivery_id === id)
    return { kind: 'claimed', delivery: claimedDelivery(row, own, now) }
  })
}

/** A newly claimed delivery with all its alerts. */
export function claimedDelivery(row: ClaimedRow, alerts: readonly AlertToSend[], now: number): ClaimedDelivery {
  const expires_at = row.started_at + row.life_minutes * MINUTE_MS
  const watched = alerts.filter(({ is_wanted }) => is_wanted)
  const wanted = watched.filter(({ is_told_since }) => !is_told_since)
  const named = wanted.filter(isBelieved(row))
  return {
    ...row,
    claim: row.due_at,
    is_moved: isMoved(row),
    cancellation: cancellationOf(row, { watched, wanted }, expires_at <= now),
    alerts: named,
    // Of the messages that the provider may have, only notifications are written anew.
    left_out:
      row.body === null || row.channel === 'push'
        ? wanted.filter((alert) => !isStillOpen(alert)).map(({ id }) => id)
        : [],
    has_gone: !(wanted.length === alerts.length && wanted.every(isStillOpen)),
    told_again: named.filter(({ last_alert_at }) => (last_alert_at ?? 0) > row.started_at).map((one) => one.section_id),
    expires_at,
    link_code: row.link_code ?? '',
    recipient: { id: row.recipient_id, created_at: row.recipient_created_at, link_version: row.link_version },
  }
}

const isMoved = ({ channel, address, contact_kind, contact_key }: ClaimedRow): boolean =>
  contact_key !== null && (contact_kind !== channel || contact_key !== addressKey(channel, address))

function cancellationOf(
  row: ClaimedRow,
  { watched, wanted }: Record<'watched' | 'wanted', readonly AlertToSend[]>,
  isTooOld: boolean,
): Cancellation | null {
  const canceled = (reason: string): Cancellation => ({ state: 'canceled', reason })
  if (row.is_enabled === null) return canceled('The contact was removed.')
  if (row.opted_out_at !== null) return canceled('Opted out.')
  if (row.undeliverable_at !== null) return canceled('Messages to this address don’t get through.')
  if (!row.is_enabled) return canceled('The contact is turned off.')
  if (!row.is_usable) return canceled('Contact by phone is turned off.')
  if (row.is_seen_elsewhere) return { state: 'not_needed', reason: 'Seen elsewhere.' }
  if (watched.length === 0) return canceled('The section is no longer watched.')
  if (wanted.length === 0) return canceled('A later message is about the same section.')
  if (!wanted.some(isStillOpen)) return { state: 'gone', reason: seatGone }
  if (!wanted.some(isBelieved(row))) return { state: 'expired', reason: seatUnconfirmed }
  return isTooOld ? { state: 'expired', reason: 'Expired before it was sent.' } : null
}

/** Whether a claim holds: not taken over, canceled or reported on. `j.value` begins with id and claim. */
export const isOurs = sql`${delivery.id} = j.value ->> 0 AND ${delivery.dueAt} = j.value ->> 1 AND ${isUnsettled}`

/** Whether the contact has not been disabled or removed since the claim. */
export const isContactStillUsable = sql`EXISTS (SELECT 1 FROM ${contact}
  WHERE ${contact.id} = ${delivery.contactId} AND ${contact.isEnabled} AND ${contact.optedOutAt} IS NULL)`

const markAsTried = prepared(() =>
  template(
    { id: delivery.id, first_tried_at: delivery.firstTriedAt },
    (columns) => sql`UPDATE ${delivery}
      SET ${names(delivery.state)} = 'sending', ${names(delivery.body)} = j.value ->> 4,
        ${names(delivery.isRepeated)} = j.value ->> 3, ${names(delivery.attempts)} = ${delivery.attempts} + 1,
        ${names(delivery.triedAt)} = j.value ->> 2,
        ${names(delivery.firstTriedAt)} = coalesce(${delivery.firstTriedAt}, j.value ->> 2)
      FROM json_each(${parameter('tries')}) j
      WHERE ${isOurs} AND ${delivery.dueAt} >= (j.value ->> 2) + ${constant(MAX_TRY_MS)} AND ${isContactStillUsable}
        AND NOT ${isSeenElsewhere} AND NOT ${isOpenAgain(sql`j.value -> 5`)}
      RETURNING ${columns}`,
  ),
)

/** A message that is about to be sent. */
interface Beginning {
  delivery: ClaimedDelivery
  body: string
  is_repeated: boolean
  /** ms since epoch */
  now: number
}

/**
 * Records messages just before they are sent: from here on the rows say that the provider may have them, and what to
 * look for.
 * @returns for each the time of the message's first try; null when the claim was lost or is nearly over, the contact
 * went out of use in the meantime, the recipient saw it elsewhere, or a section that it leaves out may be open again: then
 * nothing may be sent
 */
export const beginTries: BatchCall<Beginning, number | null> = async ({ DB }, begun) => {
  const tries = begun.map(({ delivery: { id, claim, left_out }, now, is_repeated, body }) => [
    id,
    claim,
    now,
    Number(is_repeated),
    body,
    left_out,
  ])
  const leftOut = begun.map(({ delivery: { id, claim, left_out }, now }) => ({ id, claim, now, alerts: left_out }))
  const [tried] = await readTogether(DB, markAsTried({ tries: JSON.stringify(tries) }), ...splitOffGone(leftOut))
  return begun.map(({ delivery: { id } }) => tried.find((row) => row.id === id)?.first_tried_at ?? null)
}
