import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { contact, recipient } from './recipients.ts'
import { section } from './sections.ts'
import { contactKinds, deliveryStates, seenByValues } from '../../lib/contract.ts'

/** A section became open: one row per change, whether a poll, a refresh or a person saw it. */
export const opening = sqliteTable(
  'opening',
  {
    id: integer().primaryKey(),
    sectionId: deletedWith(() => section.id),
    version: integer().notNull(),
    pollId: text().notNull(),
    /** The last believed moment at which it was not open; null when it was never seen otherwise. */
    lastClosedAt: integer(),
    seenOpenAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('opening_version').on(table.sectionId, table.version),
    index('opening_poll').on(table.pollId),
  ],
)

/** What one recipient is sent about one opening. `releaseAt` set and `pollId` null: held until then. */
export const classAlert = sqliteTable(
  'class_alert',
  {
    id: integer().primaryKey(),
    openingId: deletedWith(() => opening.id),
    recipientId: deletedWith(() => recipient.id),
    sectionId: deletedWith(() => section.id),
    kind: text({ enum: ['opening', 'reminder'] }).notNull(),
    /** 0 for the opening's own alert, 1 … 3 for reminders. */
    reminder: integer().notNull().default(0),
    createdAt: integer().notNull(),
    releaseAt: integer(),
    canceledAt: integer(),
    /** The poll or sweep that released it; its deliveries have the same id. */
    pollId: text(),
    /** With fair turns, the wave it belongs to; 0 for the first. */
    wave: integer().notNull().default(0),
    /** When the recipient got a seat or passed, which releases the next wave once. */
    answeredAt: integer(),
  },
  (table) => [
    uniqueIndex('class_alert_once').on(table.openingId, table.recipientId, table.reminder),
    index('class_alert_recipient').on(table.recipientId, table.id),
    index('class_alert_section').on(table.sectionId, table.recipientId),
    index('class_alert_poll').on(table.pollId),
    index('class_alert_held')
      .on(table.releaseAt)
      .where(sql`poll_id IS NULL AND canceled_at IS NULL`),
  ],
)

/** One message to one contact, carrying one or more alerts. Written before it is sent. */
export const delivery = sqliteTable(
  'delivery',
  {
    id: integer().primaryKey(),
    pollId: text().notNull(),
    recipientId: deletedWith(() => recipient.id),
    /** Null once the contact is removed; the masked address stays readable. */
    contactId: integer().references(() => contact.id, { onDelete: 'set null' }),
    channel: text({ enum: contactKinds }).notNull(),
    address: text().notNull(),
    state: text({ enum: deliveryStates }).notNull(),
    attempts: integer().notNull().default(0),
    /** When the next try is due, ms since epoch. */
    dueAt: integer().notNull(),
    createdAt: integer().notNull(),
    /** The start of the latest try, and the text it sent: a lookup compares both. */
    triedAt: integer(),
    firstTriedAt: integer(),
    body: text(),
    acceptedAt: integer(),
    deliveredAt: integer(),
    providerId: text(),
    lastError: text(),
    /** Sent a second time because the provider could not be asked; at most once. */
    isRepeated: integer({ mode: 'boolean' }).notNull().default(false),
    /** A notification in quiet hours, shown without sound. */
    isSilent: integer({ mode: 'boolean' }).notNull().default(false),
    /** When it was retried by a person, or its quiet hours ended; its age counts from here. */
    restartedAt: integer('asked_at'),
    /** The sweep picks it up again from this time. */
    lookAt: integer(),
    /** The request it shares with other emails while the provider may have accepted it: {@link mailBatch}. */
    batchKey: text(),
    /** The code in its link, `/s/{code}`; given when it is first claimed. */
    linkCode: text(),
    /** When a person certainly saw it, by a push receipt, "I got the seat", "Pass" or "Copy number". */
    seenAt: integer(),
    seenBy: text({ enum: seenByValues }),
    /** When its link or notification was first opened by a browser. */
    openedAt: integer(),
  },
  (table) => [
    uniqueIndex('delivery_once').on(table.pollId, table.contactId),
    index('delivery_look')
      .on(sql`max(due_at, coalesce(look_at, 0))`, table.id)
      .where(sql`state IN ('queued', 'sending', 'unconfirmed')`),
    index('delivery_provider').on(table.providerId),
    index('delivery_recipient').on(table.recipientId),
    index('delivery_contact').on(table.contactId),
    index('delivery_batch')
      .on(table.batchKey)
      .where(sql`batch_key IS NOT NULL`),
    index('delivery_mail_waiting')
      .on(table.pollId, table.dueAt)
      .where(sql`channel = 'email' AND state IN ('queued', 'sending') AND body IS NULL`),
    index('delivery_link')
      .on(table.linkCode)
      .where(sql`link_code IS NOT NULL`),
    index('delivery_waiting')
      .on(table.dueAt)
      .where(sql`state IN ('waiting', 'held')`),
    index('delivery_failed')
      .on(table.id)
      .where(sql`state IN ('failed', 'expired')`),
  ],
)

/** Whether it still needs a run of its job: the condition of the index `delivery_look`. */
export const isUnsettled = sql`${delivery.state} IN ('queued', 'sending', 'unconfirmed')`

/** Whether its time has not come: the condition of the index `delivery_waiting`. */
export const isWaitingOrHeld = sql`${delivery.state} IN ('waiting', 'held')`

/** Whether it was given up without arriving, so that a person may retry it: the condition of `delivery_failed`. */
export const isFailed = sql`${delivery.state} IN ('failed', 'expired')`

export const deliveryAlert = sqliteTable(
  'delivery_alert',
  {
    deliveryId: deletedWith(() => delivery.id),
    alertId: deletedWith(() => classAlert.id),
  },
  (table) => [
    primaryKey({ columns: [table.deliveryId, table.alertId] }),
    index('delivery_alert_alert').on(table.alertId),
  ],
)

/** One request to the email provider for several deliveries, kept word for word until its outcome is known. */
export const mailBatch = sqliteTable('mail_batch', {
  key: text().primaryKey(),
  pollId: text().notNull(),
  payload: text().notNull(),
  /** JSON array of the deliveries' ids, in the payload's order. */
  members: text().notNull(),
  createdAt: integer().notNull(),
})
