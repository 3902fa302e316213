import { sql } from 'drizzle-orm'
import {
  classAlert,
  contact,
  course,
  delivery,
  deliveryAlert,
  opening,
  recipient,
  school,
  section,
  term,
  isFailed,
  isUnsettled,
} from '../../db/schema/index.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import { countColumn, skippedText } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { counted } from '../../lib/text.ts'
import { conflict } from '../../web/refusal.ts'
import { alertStateColumn } from '../alerts/alert-state.ts'
import { retryDeliveries, whyNotRetried } from '../deliveries/retry-delivery.ts'
import { channels, placeJoins, searchByRecipientOrCourse, webhookName } from './parts.ts'
import { sectionName } from '../courses/section-row.ts'

const deliveryStates: readonly AdminChoice[] = [
  { value: 'waiting', label: 'Waiting for a push to be seen', tone: 'neutral' },
  { value: 'held', label: 'Held', tone: 'waitlisted' },
  { value: 'queued', label: 'Queued', tone: 'info' },
  { value: 'sending', label: 'Sending', tone: 'info' },
  { value: 'unconfirmed', label: 'Unconfirmed', tone: 'waitlisted' },
  { value: 'sent', label: 'Sent', tone: 'done' },
  { value: 'delivered', label: 'Delivered', tone: 'done' },
  { value: 'opened', label: 'Opened', tone: 'done' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Expired', tone: 'danger' },
  { value: 'not_needed', label: 'Not needed: seen elsewhere', tone: 'neutral' },
  { value: 'canceled', label: 'Canceled', tone: 'neutral' },
]

const seenBy: readonly AdminChoice[] = [
  { value: 'shown', label: 'Shown by the device', tone: 'done' },
  { value: 'opened', label: 'Notification opened', tone: 'done' },
  { value: 'got_it', label: 'Got it', tone: 'done' },
  { value: 'passed', label: 'Pass', tone: 'done' },
  { value: 'copied', label: 'Number copied', tone: 'done' },
  { value: 'stopped', label: 'Stop all messages', tone: 'done' },
]

const alertStates: readonly AdminChoice[] = [
  { value: 'sent', label: 'Sent', tone: 'done' },
  { value: 'pending', label: 'Sending', tone: 'info' },
  { value: 'held', label: 'Held', tone: 'waitlisted' },
  { value: 'no_contact', label: 'Not sent: no contact', tone: 'danger' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Expired', tone: 'danger' },
  { value: 'canceled', label: 'Canceled', tone: 'neutral' },
]

const alertKinds = [
  { value: 'opening', label: 'Opening' },
  { value: 'reminder', label: 'Reminder' },
]

/** Who was alerted to which opening, and what happened to the messages. */
export const alertsTable: AdminTable<typeof classAlert> = {
  name: 'alerts',
  label: 'Alert',
  about: 'One alert per recipient for each opening, created by polls.',
  table: classAlert,
  title: sql`${recipient.name} || ': ' || ${sectionName}`,
  joins: [classAlert.recipientId, classAlert.sectionId, section.courseId, classAlert.openingId, ...placeJoins],
  columns: [
    { name: 'recipient', column: recipient.name },
    { name: 'section', sql: sectionName, link: section },
    classAlert.kind,
    { name: 'state', sql: alertStateColumn },
    classAlert.createdAt,
    { name: 'school', column: school.name },
    { name: 'term', column: term.fullTermName },
    opening.seenOpenAt,
    { column: classAlert.releaseAt, isHidden: true },
  ],
  search: searchByRecipientOrCourse(classAlert.sectionId),
  filters: [
    classAlert.recipientId,
    classAlert.sectionId,
    { name: 'state', sql: sql`(${alertStateColumn})` },
    classAlert.kind,
    classAlert.createdAt,
  ],
  fields: [
    classAlert.recipientId,
    classAlert.sectionId,
    { column: classAlert.kind, choices: alertKinds },
    { column: classAlert.reminder, label: 'Reminder number' },
    { name: 'state', choices: alertStates, sql: alertStateColumn },
    { column: opening.lastClosedAt, label: 'Last seen closed' },
    opening.seenOpenAt,
    classAlert.createdAt,
    { column: classAlert.releaseAt, label: 'Held until' },
    { column: classAlert.wave, label: 'Wave (fair turns)' },
    { column: classAlert.answeredAt, label: 'Got it or passed' },
    classAlert.canceledAt,
  ],
  panels: [
    {
      heading: 'Messages',
      columns: [
        { column: delivery.id, label: 'ID' },
        { column: delivery.channel, choices: channels },
        { column: delivery.state, choices: deliveryStates },
        delivery.attempts,
        { column: delivery.triedAt, label: 'Last attempt' },
        delivery.acceptedAt,
        delivery.deliveredAt,
        delivery.seenAt,
        delivery.lastError,
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${deliveryAlert}
        JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
        WHERE ${deliveryAlert.alertId} = ${id} ORDER BY ${delivery.id} LIMIT 50`,
      empty: 'None: the recipient has no usable contact, or the alert is still held.',
    },
  ],
  cascades: [
    {
      label: 'messages',
      through: [deliveryAlert.alertId],
      joins: [deliveryAlert.deliveryId],
      title: sql`${delivery.channel} || ' ' || ${delivery.state}`,
      effect: 'kept; unsent messages go out without this alert, or are canceled if it was the only one',
    },
  ],
  mayAdd: false,
  mayChange: false,
}

/** The address of a message, without secrets; masked if its contact was removed. */
const address = sql`CASE WHEN ${delivery.channel} = 'push'
    THEN coalesce((SELECT ${contact.device} FROM ${contact} WHERE ${contact.id} = ${delivery.contactId}), 'Removed device')
  WHEN ${delivery.channel} = 'discord' THEN ${webhookName(delivery.address)}
  WHEN ${delivery.contactId} IS NOT NULL THEN ${delivery.address}
  WHEN ${delivery.channel} = 'phone' THEN '•••• ' || substr(${delivery.address}, -4)
  ELSE substr(${delivery.address}, 1, 1) || '•••' || substr(${delivery.address}, instr(${delivery.address}, '@')) END`

/** Messages, whether sent or not. */
export const deliveriesTable: AdminTable<typeof delivery> = {
  name: 'deliveries',
  label: 'Message',
  about:
    'Messages sent to contacts; each carries one or more alerts. A message that failed or expired can be sent again.',
  table: delivery,
  title: sql`${recipient.name} || ': ' || ${delivery.channel} || ' ' || ${delivery.state}`,
  joins: [delivery.recipientId],
  columns: [
    { name: 'recipient', column: recipient.name },
    delivery.channel,
    { column: delivery.address, sql: address },
    delivery.state,
    delivery.attempts,
    countColumn('alerts', sql`${deliveryAlert} WHERE ${deliveryAlert.deliveryId} = ${delivery.id}`),
    // A message that was split off has the time of the whole.
    { column: delivery.createdAt, isSortable: false },
    { column: delivery.acceptedAt, label: 'Accepted' },
    delivery.lastError,
  ],
  search: {
    label: 'Recipient, error or provider’s ID',
    contains: [recipient.name, delivery.lastError, delivery.providerId],
  },
  filters: [
    {
      name: 'failed',
      label: 'Needs attention',
      choices: [{ value: 'yes', label: 'Failed or expired', where: isFailed }],
    },
    delivery.recipientId,
    delivery.state,
    delivery.channel,
    delivery.isRepeated,
    { column: delivery.isSilent, label: 'Without sound' },
    delivery.createdAt,
  ],
  fields: [
    delivery.recipientId,
    { column: delivery.channel, choices: channels },
    { column: delivery.address, label: 'To', sql: address },
    { column: delivery.state, choices: deliveryStates },
    delivery.attempts,
    delivery.createdAt,
    {
      column: delivery.dueAt,
      label: 'Next attempt',
      sql: sql`iif(${isUnsettled}, ${delivery.dueAt}, NULL)`,
    },
    { column: delivery.firstTriedAt, label: 'First attempt' },
    { column: delivery.triedAt, label: 'Last attempt' },
    { column: delivery.acceptedAt, label: 'Accepted by the provider' },
    delivery.deliveredAt,
    delivery.seenAt,
    { column: delivery.seenBy, choices: seenBy },
    delivery.openedAt,
    { column: delivery.providerId, label: 'Provider’s ID' },
    { column: delivery.isRepeated, label: 'Sent twice' },
    delivery.lastError,
  ],
  panels: [
    {
      heading: 'Alerts',
      columns: [
        { column: classAlert.id, label: 'ID' },
        { name: 'section', sql: sectionName },
        classAlert.kind,
        classAlert.createdAt,
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${deliveryAlert}
        JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
        LEFT JOIN ${section} ON ${section.id} = ${classAlert.sectionId} LEFT JOIN ${course} ON ${course.id} = ${section.courseId}
        WHERE ${deliveryAlert.deliveryId} = ${id} ORDER BY ${classAlert.id} LIMIT 50`,
      empty: 'None: its sections are no longer watched.',
    },
  ],
  actions: [{ name: 'retry', run: retry, only: isFailed }],
  mayAdd: false,
  mayChange: false,
  mayDelete: false,
}

async function retry(env: Env, { keys, actor, now }: AdminAct): Promise<string> {
  const { retried, present } = await retryDeliveries(env, { role: 'superuser', audit: actor }, keys.map(Number), now)
  const [first] = present
  if (retried.length === 0) {
    throw conflict(
      keys.length === 1 && first
        ? whyNotRetried(first)
        : 'None of these can be retried: only failed or expired messages can.',
    )
  }
  const rest = skippedText(keys.length - retried.length, 'not failed, or deleted')
  return `${counted(retried.length, 'message is', 'messages are')} being sent again.${rest}`
}

/** When seats became free, whether a poll, a refresh or a person saw it. */
export const openingsTable: AdminTable<typeof opening> = {
  name: 'openings',
  label: 'Opening',
  about: 'Each time a watched section opened. Every watcher gets one alert per opening.',
  table: opening,
  title: sectionName,
  joins: [opening.sectionId, section.courseId, ...placeJoins],
  columns: [
    { name: 'section', sql: sectionName },
    { name: 'number', column: section.sectionKey, link: section },
    { name: 'school', column: school.name },
    { name: 'term', column: term.fullTermName },
    opening.lastClosedAt,
    opening.seenOpenAt,
    countColumn('alerts', sql`${classAlert} WHERE ${classAlert.openingId} = ${opening.id}`),
  ],
  search: {
    label: 'Course (CS 101) or section number',
    contains: [
      sql`(SELECT ${course.code} || ' ' || ${course.level} || ' ' || ${section.sectionKey} FROM ${section}
        JOIN ${course} ON ${course.id} = ${section.courseId} WHERE ${section.id} = ${opening.sectionId})`,
    ],
  },
  filters: [opening.sectionId, opening.seenOpenAt],
  fields: [opening.sectionId, { column: opening.lastClosedAt, label: 'Last seen closed' }, opening.seenOpenAt],
  mayAdd: false,
  mayChange: false,
  mayDelete: false,
}
