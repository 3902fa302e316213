import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { section } from './catalogue.ts'

/** Someone who waits for seats. */
export const recipient = sqliteTable(
  'recipient',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    description: text().notNull().default(''),
    isContactByPhone: integer({ mode: 'boolean' }).notNull().default(true),
    createdAt: integer().notNull(),
  },
  (table) => [index('recipient_name').on(sql`lower(${table.name})`)],
)

/** A way to reach a recipient. `address`: E.164, e-mail, or webhook URL; `addressKey` is what must be unique. */
export const contact = sqliteTable(
  'contact',
  {
    id: integer().primaryKey(),
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    kind: text().notNull(),
    address: text().notNull(),
    addressKey: text().notNull(),
    isEnabled: integer({ mode: 'boolean' }).notNull().default(true),
    verifiedAt: integer(),
    optedOutAt: integer(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('contact_address').on(table.kind, table.addressKey),
    index('contact_recipient').on(table.recipientId),
    index('contact_address_text').on(sql`lower(${table.address})`),
  ],
)

/** A recipient waits for a section. Archived when the term has ended. */
export const watch = sqliteTable(
  'watch',
  {
    id: integer().primaryKey(),
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    archivedAt: integer(),
    /** True until the first believed observation after the watch began: open then counts as an opening. */
    isNew: integer({ mode: 'boolean' }).notNull().default(true),
    lastAlertAt: integer(),
    remindAt: integer(),
    reminders: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('watch_recipient_section').on(table.recipientId, table.sectionId),
    index('watch_section')
      .on(table.sectionId)
      .where(sql`archived_at IS NULL`),
    // Those that were archived too: a section that is deleted takes them along.
    index('watch_of_section').on(table.sectionId),
    index('watch_remind')
      .on(table.remindAt)
      .where(sql`remind_at IS NOT NULL`),
  ],
)

/** A section turned open. One row per change, whoever saw it. */
export const opening = sqliteTable(
  'opening',
  {
    id: integer().primaryKey(),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
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

/** What one recipient is told about one opening. `releaseAt` set and `pollId` null: held until then. */
export const classAlert = sqliteTable(
  'class_alert',
  {
    id: integer().primaryKey(),
    openingId: integer()
      .notNull()
      .references(() => opening.id, { onDelete: 'cascade' }),
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    sectionId: integer()
      .notNull()
      .references(() => section.id, { onDelete: 'cascade' }),
    kind: text().notNull(),
    /** 0 for the opening's own alert, 1 … 3 for reminders. */
    reminder: integer().notNull().default(0),
    createdAt: integer().notNull(),
    releaseAt: integer(),
    canceledAt: integer(),
    /** The poll or sweep that released it: its deliveries carry the same. */
    pollId: text(),
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
    recipientId: integer()
      .notNull()
      .references(() => recipient.id, { onDelete: 'cascade' }),
    /** Null once the contact is removed; the masked address stays readable. */
    contactId: integer().references(() => contact.id, { onDelete: 'set null' }),
    channel: text().notNull(),
    address: text().notNull(),
    /** queued, sending, unconfirmed, sent, delivered, failed, canceled */
    state: text().notNull(),
    attempts: integer().notNull().default(0),
    /** Due time of the next try. */
    dueAt: integer().notNull(),
    createdAt: integer().notNull(),
    /** Start of the latest try, and the message's text then: what a look-up compares. */
    triedAt: integer(),
    firstTriedAt: integer(),
    body: text(),
    acceptedAt: integer(),
    deliveredAt: integer(),
    providerId: text(),
    lastError: text(),
    /** Sent a second time because the provider could not be asked; at most once. */
    isRepeated: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('delivery_once').on(table.pollId, table.contactId),
    index('delivery_unsent')
      .on(table.dueAt)
      .where(sql`state IN ('queued', 'sending', 'unconfirmed')`),
    index('delivery_provider').on(table.providerId),
    index('delivery_recipient').on(table.recipientId),
    index('delivery_contact').on(table.contactId),
    index('delivery_failed')
      .on(table.id)
      .where(sql`state = 'failed'`),
  ],
)

export const deliveryAlert = sqliteTable(
  'delivery_alert',
  {
    deliveryId: integer()
      .notNull()
      .references(() => delivery.id, { onDelete: 'cascade' }),
    alertId: integer()
      .notNull()
      .references(() => classAlert.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.deliveryId, table.alertId] }),
    index('delivery_alert_alert').on(table.alertId),
  ],
)

/** An operator's setting; absent means its default. `value` is JSON. */
export const setting = sqliteTable('setting', {
  name: text().primaryKey(),
  value: text().notNull(),
  changedAt: integer().notNull(),
})
