import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { section } from './sections.ts'
import { contactKinds } from '../../lib/contract.ts'

export const recipient = sqliteTable(
  'recipient',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    description: text().notNull().default(''),
    isContactByPhone: integer({ mode: 'boolean' }).notNull().default(true),
    createdAt: integer().notNull(),
    /** The link to the recipient's own page is signed with it: raising it ends earlier links. */
    linkVersion: integer().notNull().default(1),
    /** IANA name, of the quiet hours; '' before any were set. */
    timeZone: text().notNull().default(''),
    /** Quiet hours, both in minutes since midnight there; null for none. */
    quietFrom: integer(),
    quietUntil: integer(),
    /** The current or next quiet period, ms since epoch; the sweep updates it once it is over. */
    quietStartsAt: integer(),
    quietEndsAt: integer(),
    /** In quiet hours, push comes silently instead of being held like everything else. */
    isPushSilent: integer({ mode: 'boolean' }).notNull().default(false),
    pausedUntil: integer(),
    /** Whether they want reminders of a seat that is still open. */
    isReminded: integer({ mode: 'boolean' }).notNull().default(true),
    /** Texts are sent together with push, not only when no push was seen. */
    isSmsAtOnce: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('recipient_name').on(sql`lower(${table.name})`),
    index('recipient_name_beyond_ascii')
      .on(table.id)
      .where(sql`octet_length(name) > length(name)`),
    index('recipient_quiet')
      .on(table.quietEndsAt)
      .where(sql`quiet_ends_at IS NOT NULL`),
  ],
)

/**
 * A way to reach a recipient. `address`: E.164, email, webhook URL, or a device's subscription; `addressKey` is the one
 * form by which addresses are compared (`src/notify/addresses.ts`), and unique. `optedOutAt` copies {@link optOut}
 * for the address: triggers keep the two equal.
 */
export const contact = sqliteTable(
  'contact',
  {
    id: integer().primaryKey(),
    recipientId: deletedWith(() => recipient.id),
    kind: text({ enum: contactKinds }).notNull(),
    address: text().notNull(),
    addressKey: text().notNull(),
    /** The device's name, such as 'Chrome on Android'; '' for every other kind. */
    device: text().notNull().default(''),
    isEnabled: integer({ mode: 'boolean' }).notNull().default(true),
    verifiedAt: integer(),
    optedOutAt: integer(),
    createdAt: integer().notNull(),
    /** Why messages no longer arrive there, according to the provider; triggers clear it when the address changes. */
    undeliverableAt: integer(),
    undeliverableReason: text(),
    /** Of the link to the recipient's own page with which a device was added; null if it was added with an alert's link. */
    linkVersion: integer(),
  },
  (table) => [
    uniqueIndex('contact_address').on(table.kind, table.addressKey),
    index('contact_recipient').on(table.recipientId),
    index('contact_address_text').on(sql`lower(${table.address})`),
  ],
)

/** Addresses that opted out, whether or not they belong to a contact. */
export const optOut = sqliteTable(
  'opt_out',
  {
    kind: text({ enum: contactKinds }).notNull(),
    addressKey: text().notNull(),
    at: integer().notNull(),
    /** Whether it was a stop of all messages on the recipient's own page or by a message's link, which that page can undo. */
    isUndoable: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.kind, table.addressKey] })],
)

/** Contacts that migration 0018 merged into another spelling of their address. Links in old messages have their ids. */
export const mergedContact = sqliteTable(
  'merged_contact',
  {
    id: integer().primaryKey(),
    recipientId: integer().notNull(),
    kind: text({ enum: contactKinds }).notNull(),
    address: text().notNull(),
    addressKey: text().notNull(),
    contactId: deletedWith(() => contact.id),
  },
  (table) => [index('merged_contact_contact').on(table.contactId)],
)

/** A usable `contact` of a `recipient`: enabled, not opted out, reachable, and no phone if phones may not be used. */
export const canBeMessaged = sql`${contact.isEnabled} AND ${contact.optedOutAt} IS NULL AND ${contact.undeliverableAt} IS NULL
  AND (${contact.kind} <> 'phone' OR ${recipient.isContactByPhone})`

/** A recipient is waiting for a section. Archived when the term has ended. */
export const watch = sqliteTable(
  'watch',
  {
    id: integer().primaryKey(),
    recipientId: deletedWith(() => recipient.id),
    sectionId: deletedWith(() => section.id),
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
    // Includes archived ones: deleting a section deletes them too.
    index('watch_of_section').on(table.sectionId),
    index('watch_remind')
      .on(table.remindAt)
      .where(sql`remind_at IS NOT NULL`),
  ],
)
