import { type SQL, sql } from 'drizzle-orm'
import {
  classAlert,
  course,
  delivery,
  deliveryAlert,
  opening,
  recipient,
  school,
  section,
  term,
} from '../../db/schema/index.ts'
import type { AdminAct } from '../../web/admin-change.ts'
import { shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminTable } from '../../web/admin-table.ts'
import { counted } from '../../lib/counted.ts'
import { conflict } from '../../web/refusal.ts'
import { retryDeliveries } from '../deliveries/retry-delivery.ts'
import { area, channels, placeJoins, searchByRecipientOrCourse, sectionName } from './parts.ts'

const deliveryStates: readonly AdminChoice[] = [
  { value: 'queued', label: 'Queued', tone: 'info' },
  { value: 'sending', label: 'Being sent', tone: 'info' },
  { value: 'unconfirmed', label: 'Unconfirmed', tone: 'waitlisted' },
  { value: 'sent', label: 'Sent', tone: 'open' },
  { value: 'delivered', label: 'Delivered', tone: 'open' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Too old to send', tone: 'danger' },
  { value: 'canceled', label: 'Canceled', tone: 'neutral' },
]

const hasDelivery = sql`SELECT 1 FROM ${deliveryAlert} JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
  WHERE ${deliveryAlert.alertId} = ${classAlert.id}`
const some = (states: SQL) => sql`EXISTS (${hasDelivery} AND ${delivery.state} IN (${states}))`

/** As `alertState` says it. */
const alertState = sql`CASE WHEN ${some(sql`'sent', 'delivered'`)} THEN 'sent'
  WHEN ${classAlert.canceledAt} IS NOT NULL THEN 'canceled'
  WHEN ${classAlert.pollId} IS NULL THEN iif(${classAlert.releaseAt} IS NULL, 'pending', 'held')
  WHEN NOT EXISTS (SELECT 1 FROM ${deliveryAlert} WHERE ${deliveryAlert.alertId} = ${classAlert.id}) THEN 'no_contact'
  WHEN ${some(sql`'queued', 'sending', 'unconfirmed'`)} THEN 'pending'
  WHEN ${some(sql`'failed'`)} THEN 'failed' WHEN ${some(sql`'expired'`)} THEN 'expired'
  WHEN ${some(sql`'gone'`)} THEN 'gone' ELSE 'canceled' END`

const alertStates: readonly AdminChoice[] = [
  { value: 'sent', label: 'Sent', tone: 'open' },
  { value: 'pending', label: 'Being sent', tone: 'info' },
  { value: 'held', label: 'Held', tone: 'waitlisted' },
  { value: 'no_contact', label: 'Not sent: no contact', tone: 'danger' },
  { value: 'failed', label: 'Failed', tone: 'danger' },
  { value: 'gone', label: 'Seat gone before it was sent', tone: 'neutral' },
  { value: 'expired', label: 'Too old to send', tone: 'danger' },
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
  labels: 'Alerts',
  area,
  about: 'What one recipient is sent about one opening. Polls create them.',
  table: classAlert,
  title: sql`${recipient.name} || ': ' || ${sectionName}`,
  joins: [classAlert.recipientId, classAlert.sectionId, section.courseId, classAlert.openingId, ...placeJoins],
  columns: [
    { name: 'recipient', column: recipient.name, label: 'Recipient' },
    { name: 'section', label: 'Section', sql: sectionName, link: section },
    { column: classAlert.kind, label: 'Kind', choices: alertKinds },
    { name: 'state', label: 'State', choices: alertStates, sql: alertState },
    { column: classAlert.createdAt, label: 'Made' },
    { name: 'school', column: school.name, label: 'School' },
    { name: 'term', column: term.fullTermName, label: 'Term' },
    { column: opening.seenOpenAt, label: 'Seen open' },
    { column: classAlert.releaseAt, label: 'Held until', isHidden: true },
  ],
  search: searchByRecipientOrCourse(classAlert.recipientId, classAlert.sectionId),
  filters: [
    { column: classAlert.recipientId, label: 'Recipient' },
    { column: classAlert.sectionId, label: 'Section' },
    { name: 'state', label: 'State', choices: alertStates, sql: sql`(${alertState})` },
    { column: classAlert.kind, label: 'Kind', choices: alertKinds },
    { column: classAlert.createdAt, label: 'Made' },
  ],
  fields: shownOnly([
    { column: classAlert.recipientId, label: 'Recipient' },
    { column: classAlert.sectionId, label: 'Section' },
    { column: classAlert.kind, label: 'Kind', choices: alertKinds },
    { column: classAlert.reminder, label: 'Reminder number' },
    { name: 'state', label: 'State', choices: alertStates, sql: alertState },
    { column: opening.lastClosedAt, label: 'Last seen closed' },
    { column: opening.seenOpenAt, label: 'Seen open' },
    { column: classAlert.createdAt, label: 'Made' },
    { column: classAlert.releaseAt, label: 'Held until' },
    { column: classAlert.canceledAt, label: 'Canceled' },
  ]),
  panels: [
    {
      heading: 'Messages',
      columns: [
        { column: delivery.id, label: 'Number' },
        { column: delivery.channel, label: 'Channel', choices: channels },
        { column: delivery.state, label: 'State', choices: deliveryStates },
        { column: delivery.attempts, label: 'Tries' },
        { column: delivery.triedAt, label: 'Last try' },
        { column: delivery.acceptedAt, label: 'Accepted' },
        { column: delivery.deliveredAt, label: 'Delivered' },
        { column: delivery.lastError, label: 'Last error' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${deliveryAlert}
        JOIN ${delivery} ON ${delivery.id} = ${deliveryAlert.deliveryId}
        WHERE ${deliveryAlert.alertId} = ${id} ORDER BY ${delivery.id} LIMIT 50`,
      empty: 'None: the recipient had no usable contact, or it is still held.',
    },
  ],
  cascades: [
    {
      label: 'messages',
      through: [deliveryAlert.alertId],
      joins: [deliveryAlert.deliveryId],
      title: sql`${delivery.channel} || ' ' || ${delivery.state}`,
      fate: 'kept; one that was not sent goes on without this alert, or is canceled when it says nothing else',
    },
  ],
  mayAdd: false,
  mayChange: false,
}

/** Of a contact that was removed only the end is left to see, as everywhere. */
const address = sql`CASE WHEN ${delivery.contactId} IS NOT NULL THEN ${delivery.address}
  WHEN ${delivery.channel} = 'phone' THEN '•••• ' || substr(${delivery.address}, -4)
  WHEN ${delivery.channel} = 'email'
    THEN substr(${delivery.address}, 1, 1) || '•••' || substr(${delivery.address}, instr(${delivery.address}, '@'))
  ELSE 'Discord webhook' END`

/** Messages, sent or not. */
export const deliveriesTable: AdminTable<typeof delivery> = {
  name: 'deliveries',
  label: 'Message',
  labels: 'Messages',
  area,
  about: 'One message to one contact carries one alert or more. One that failed or became too old can be sent again.',
  table: delivery,
  title: sql`${recipient.name} || ': ' || ${delivery.channel} || ' ' || ${delivery.state}`,
  joins: [delivery.recipientId],
  columns: [
    { name: 'recipient', column: recipient.name, label: 'Recipient' },
    { column: delivery.channel, label: 'Channel', choices: channels },
    { column: delivery.address, label: 'To', sql: address },
    { column: delivery.state, label: 'State', choices: deliveryStates },
    { column: delivery.attempts, label: 'Tries' },
    {
      name: 'alerts',
      label: 'Alerts',
      kind: 'number',
      sql: sql`(SELECT count(*) FROM ${deliveryAlert} WHERE ${deliveryAlert.deliveryId} = ${delivery.id})`,
    },
    { column: delivery.createdAt, label: 'Made' },
    { column: delivery.acceptedAt, label: 'Accepted' },
    { column: delivery.lastError, label: 'Last error' },
  ],
  search: {
    label: 'Recipient, error or the provider’s number',
    contains: [
      sql`(SELECT ${recipient.name} FROM ${recipient} WHERE ${recipient.id} = ${delivery.recipientId})`,
      delivery.lastError,
      delivery.providerId,
    ],
  },
  filters: [
    {
      name: 'failed',
      label: 'Needs attention',
      choices: [{ value: 'yes', label: 'Failed or too old', where: sql`${delivery.state} IN ('failed', 'expired')` }],
    },
    { column: delivery.recipientId, label: 'Recipient' },
    { column: delivery.state, label: 'State', choices: deliveryStates },
    { column: delivery.channel, label: 'Channel', choices: channels },
    { column: delivery.isRepeated, label: 'Sent twice' },
    { column: delivery.createdAt, label: 'Made' },
  ],
  fields: shownOnly([
    { column: delivery.recipientId, label: 'Recipient' },
    { column: delivery.channel, label: 'Channel', choices: channels },
    { column: delivery.address, label: 'To', sql: address },
    { column: delivery.state, label: 'State', choices: deliveryStates },
    { column: delivery.attempts, label: 'Tries' },
    { column: delivery.createdAt, label: 'Made' },
    {
      column: delivery.dueAt,
      label: 'Next try',
      sql: sql`iif(${delivery.state} IN ('queued', 'sending', 'unconfirmed'), ${delivery.dueAt}, NULL)`,
    },
    { column: delivery.firstTriedAt, label: 'First try' },
    { column: delivery.triedAt, label: 'Last try' },
    { column: delivery.acceptedAt, label: 'Accepted by the provider' },
    { column: delivery.deliveredAt, label: 'Delivered' },
    { column: delivery.providerId, label: 'The provider’s number' },
    { column: delivery.isRepeated, label: 'Sent twice' },
    { column: delivery.lastError, label: 'Last error' },
  ]),
  panels: [
    {
      heading: 'Alerts',
      columns: [
        { column: classAlert.id, label: 'Number' },
        { name: 'section', label: 'Section', sql: sectionName },
        { column: classAlert.kind, label: 'Kind' },
        { column: classAlert.createdAt, label: 'Made' },
      ],
      rows: (columns, id) => sql`SELECT ${columns} FROM ${deliveryAlert}
        JOIN ${classAlert} ON ${classAlert.id} = ${deliveryAlert.alertId}
        LEFT JOIN ${section} ON ${section.id} = ${classAlert.sectionId} LEFT JOIN ${course} ON ${course.id} = ${section.courseId}
        WHERE ${deliveryAlert.deliveryId} = ${id} ORDER BY ${classAlert.id} LIMIT 50`,
      empty: 'None any more: its sections are no longer watched.',
    },
  ],
  actions: [{ name: 'retry', label: 'Retry', run: retry }],
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
        ? `This message is ${first.state}: only one that failed or became too old can be retried.`
        : 'None of these messages has failed or become too old: only such a one can be retried.',
    )
  }
  const others = keys.length - retried.length
  const rest =
    others === 0
      ? ''
      : ` ${others} ${others === 1 ? 'has' : 'have'} not failed, or ${others === 1 ? 'is' : 'are'} gone.`
  return `${counted(retried.length, 'message is', 'messages are')} being sent again.${rest}`
}

/** When seats came free, whoever saw it. */
export const openingsTable: AdminTable<typeof opening> = {
  name: 'openings',
  label: 'Opening',
  labels: 'Openings',
  area,
  about: 'A watched section turned open. Each gives every watcher one alert.',
  table: opening,
  title: sectionName,
  joins: [opening.sectionId, section.courseId, ...placeJoins],
  columns: [
    { name: 'section', label: 'Section', sql: sectionName },
    { name: 'number', column: section.sectionKey, label: 'Number', link: section },
    { name: 'school', column: school.name, label: 'School' },
    { name: 'term', column: term.fullTermName, label: 'Term' },
    { column: opening.lastClosedAt, label: 'Last seen closed' },
    { column: opening.seenOpenAt, label: 'Seen open' },
    {
      name: 'alerts',
      label: 'Alerts',
      kind: 'number',
      sql: sql`(SELECT count(*) FROM ${classAlert} WHERE ${classAlert.openingId} = ${opening.id})`,
    },
  ],
  search: {
    label: 'Course (CS 101) or section number',
    contains: [
      sql`(SELECT ${course.code} || ' ' || ${course.level} || ' ' || ${section.sectionKey} FROM ${section}
        JOIN ${course} ON ${course.id} = ${section.courseId} WHERE ${section.id} = ${opening.sectionId})`,
    ],
  },
  filters: [
    { column: opening.sectionId, label: 'Section' },
    { column: opening.seenOpenAt, label: 'Seen open' },
  ],
  fields: shownOnly([
    { column: opening.sectionId, label: 'Section' },
    { column: opening.lastClosedAt, label: 'Last seen closed' },
    { column: opening.seenOpenAt, label: 'Seen open' },
  ]),
  mayAdd: false,
  mayChange: false,
  mayDelete: false,
}
