import { sql } from 'drizzle-orm'
import { constant } from '../../db/query.ts'
import {
  classAlert,
  contact,
  delivery,
  recipient,
  school,
  section,
  term,
  watch,
  canBeMessaged,
} from '../../db/schema/index.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { belongsTo, countColumn, shownOnly } from '../../web/admin-fields.ts'
import type { AdminChoice, AdminField, AdminTable } from '../../web/admin-table.ts'
import { pollAtOnce } from '../polling/schedule-polls.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from '../recipients/posted-form.ts'
import { deleteContact } from '../recipients/remove-recipient.ts'
import { channelNames } from '../../../client/components/channel-names.ts'
import { contactKinds } from '../../lib/contract.ts'
import { addressKinds } from '../../notify/addresses.ts'
import { planWatch } from '../watches/add-watched-section.ts'
import { deleteWatch } from '../watches/remove-watched-section.ts'
import { statusNowOf } from '../courses/observed-at.ts'
import { placeJoins, searchByRecipientOrCourse, shownStatus, webhookName } from './parts.ts'
import { contactsInline, explainContact, explainRecipient, saveContact, saveRecipient } from './save-people.ts'
import { sectionName } from '../courses/section-row.ts'

const kinds: readonly AdminChoice[] = contactKinds.map((kind) => ({ value: kind, label: addressKinds[kind].contact }))

/** The fields of a contact, on its own page and on its recipient's. */
const contactFields: readonly AdminField[] = [
  { column: contact.kind, choices: kinds, initial: 'phone' },
  {
    column: contact.address,
    sql: sql`iif(${contact.kind} = 'push', ${contact.device}, ${contact.address})`,
    maximum: 400,
    help: 'A phone number, an email address or a Discord webhook URL, to match the kind. A device’s address cannot be changed.',
    shapes: {
      by: contact.kind.name,
      of: Object.fromEntries(
        contactKinds.map((kind) => {
          const { label, help, keyboard } = addressKinds[kind].field
          return [kind, { label, help, inputMode: keyboard }]
        }),
      ),
    },
  },
  contact.isEnabled,
  ...shownOnly([
    contact.device,
    contact.verifiedAt,
    contact.optedOutAt,
    { column: contact.undeliverableAt, label: 'Not reachable since' },
    { column: contact.undeliverableReason, label: 'Why' },
  ]),
]

/** A device is shown by its name, because its address means nothing to people and contains its keys. */
const shownAddress = sql`CASE ${contact.kind} WHEN 'push' THEN ${contact.device}
  WHEN 'discord' THEN ${webhookName(contact.address)} ELSE ${contact.address} END`
const deliveryName = sql`${delivery.channel} || ' ' || ${delivery.state}`
const isContactOfRecipient = sql`${contact.recipientId} = ${recipient.id}`

const noChannel = 'none'
const channelOf = sql`CASE ${contact.kind} ${sql.join(
  contactKinds.map((kind) => sql.raw(`WHEN '${kind}' THEN '${channelNames[kind]}'`)),
  sql.raw(' '),
)} END`
/** "SMS, Email": by which channels a message would arrive. */
const channels = sql`coalesce((SELECT replace(group_concat(DISTINCT ${channelOf}), ',', ', ') FROM ${contact}
  WHERE ${isContactOfRecipient} AND ${canBeMessaged}), '${sql.raw(noChannel)}')`

/** Recipients with their contacts; the rules are those of the page *Add Classes*. */
export const recipientsTable: AdminTable<typeof recipient> = {
  name: 'recipients',
  label: 'Recipient',
  about: 'People we notify when a seat opens, and how to reach them.',
  table: recipient,
  title: recipient.name,
  columns: [
    { column: recipient.name, isSortable: true },
    recipient.description,
    {
      name: 'channels',
      label: 'Reached by',
      choices: [{ value: noChannel, label: 'Can’t be reached', tone: 'danger' }],
      sql: channels,
    },
    countColumn('watches', sql`${watch} WHERE ${watch.recipientId} = ${recipient.id} AND ${watch.archivedAt} IS NULL`),
    { column: recipient.isContactByPhone, label: 'By phone', isHidden: true },
    recipient.createdAt,
  ],
  search: {
    label: 'Name, description or contact',
    contains: [
      recipient.name,
      recipient.description,
      sql`(SELECT group_concat(${contact.address}, ' ') FROM ${contact} WHERE ${isContactOfRecipient})`,
    ],
  },
  filters: [
    { column: recipient.isContactByPhone, label: 'Contact by phone' },
    {
      name: 'reach',
      label: 'Contact problems',
      choices: [
        {
          value: 'no',
          label: 'No enabled contact',
          where: sql`NOT EXISTS (SELECT 1 FROM ${contact} WHERE ${isContactOfRecipient} AND ${contact.isEnabled})`,
        },
        {
          value: 'opted_out',
          label: 'A contact has opted out',
          where: sql`EXISTS (SELECT 1 FROM ${contact} WHERE ${isContactOfRecipient} AND ${contact.optedOutAt} IS NOT NULL)`,
        },
      ],
    },
    recipient.createdAt,
  ],
  fields: [
    { column: recipient.name, maximum: MAX_NAME_LENGTH },
    { column: recipient.description, kind: 'long_text', maximum: MAX_DESCRIPTION_LENGTH },
    {
      column: recipient.isContactByPhone,
      label: 'Allow Contact by Phone',
      help: 'Off: no texts. Email and Discord still work.',
    },
    ...shownOnly([
      { column: recipient.isReminded, label: 'Reminders' },
      { column: recipient.isSmsAtOnce, label: 'Send texts immediately' },
      recipient.timeZone,
      { column: recipient.quietStartsAt, label: 'Quiet hours start' },
      { column: recipient.quietEndsAt, label: 'Quiet hours end' },
      { column: recipient.isPushSilent, label: 'Silent notifications in quiet hours' },
      recipient.pausedUntil,
    ]),
    { column: recipient.createdAt, label: 'Added', readOnly: 'always' },
  ],
  inlines: [
    {
      name: contactsInline,
      label: 'Contact',
      table: contact,
      fields: contactFields,
    },
  ],
  cascades: [
    { through: [contact.recipientId], title: sql`${contact.kind} || ' ' || ${shownAddress}` },
    { through: [watch.recipientId], joins: [watch.sectionId, section.courseId], title: sectionName },
    { through: [classAlert.recipientId], joins: [classAlert.sectionId, section.courseId], title: sectionName },
    { through: [delivery.recipientId], title: deliveryName },
  ],
  save: saveRecipient,
  explain: explainRecipient,
}

/** All contacts; the rules are those of the page *Add Classes*. */
export const contactsTable: AdminTable<typeof contact> = {
  name: 'contacts',
  label: 'Contact',
  about: 'How to reach recipients. An address can belong to only one recipient.',
  table: contact,
  title: sql`${recipient.name} || ': ' || ${contact.kind} || ' ' || ${shownAddress}`,
  joins: [contact.recipientId],
  columns: [
    { name: 'shown_address', label: 'Address', sql: shownAddress },
    contact.kind,
    { name: 'recipient', column: recipient.name, link: recipient },
    contact.isEnabled,
    contact.verifiedAt,
    contact.optedOutAt,
    contact.createdAt,
  ],
  search: {
    label: 'Address or recipient',
    contains: [contact.address, recipient.name],
  },
  filters: [
    contact.recipientId,
    { column: contact.kind, isIndexed: false },
    contact.isEnabled,
    {
      name: 'state',
      choices: [
        { value: 'verified', label: 'Verified', where: sql`${contact.verifiedAt} IS NOT NULL` },
        { value: 'unverified', label: 'Not verified', where: sql`${contact.verifiedAt} IS NULL` },
        { value: 'opted_out', label: 'Opted out', where: sql`${contact.optedOutAt} IS NOT NULL` },
        { value: 'undeliverable', label: 'Not reachable', where: sql`${contact.undeliverableAt} IS NOT NULL` },
      ],
    },
  ],
  fields: [
    belongsTo(contact.recipientId),
    ...contactFields,
    { column: contact.createdAt, label: 'Added', readOnly: 'always' },
  ],
  cascades: [
    {
      through: [delivery.contactId],
      title: deliveryName,
      effect: 'kept, with the address masked; anything not yet sent is canceled',
    },
  ],
  actions: [
    {
      name: 'opt_in',
      label: 'Undo opt-out',
      set: { optedOutAt: null },
      confirm:
        'Messages to these addresses resume. Do this only if their owners asked: they can also opt back in by link or reply.',
    },
  ],
  save: saveContact,
  async remove(_env, { key }) {
    return { statements: deleteContact(Number(key)), message: 'Contact removed successfully' }
  },
  explain: explainContact,
}

/** Watches: who waits for which section. The rules are those of the page *Add Classes*. */
export const watchesTable: AdminTable<typeof watch> = {
  name: 'watches',
  label: 'Watch',
  labels: 'Watches',
  about:
    'Which recipient is watching which section. If the section is already open, the recipient is notified at the next poll. Watches are archived when the term ends.',
  table: watch,
  title: sql`${recipient.name} || ': ' || ${sectionName}`,
  joins: [watch.recipientId, watch.sectionId, section.courseId, ...placeJoins, section.groupId],
  columns: [
    { name: 'recipient', column: recipient.name },
    { name: 'section', sql: sectionName, link: section },
    { name: 'status', ...shownStatus },
    { name: 'status_read', label: 'Status', sql: statusNowOf(section), isHidden: true },
    { name: 'school', column: school.name },
    { name: 'term', column: term.fullTermName },
    // A watch that began again keeps its key.
    { column: watch.createdAt, isSortable: false },
    watch.isNew,
    watch.lastAlertAt,
    watch.archivedAt,
  ],
  search: searchByRecipientOrCourse(watch.sectionId),
  filters: [
    watch.recipientId,
    watch.sectionId,
    {
      name: 'state',
      choices: [
        { value: 'living', label: 'Watching', where: sql`${watch.archivedAt} IS NULL` },
        {
          value: 'new',
          label: 'Not checked yet',
          where: sql`${watch.isNew} AND ${watch.archivedAt} IS NULL`,
        },
        { value: 'archived', label: 'Archived', where: sql`${watch.archivedAt} IS NOT NULL` },
      ],
    },
    watch.createdAt,
  ],
  fields: [
    belongsTo(watch.recipientId),
    belongsTo(watch.sectionId),
    ...shownOnly([
      { column: watch.createdAt, label: 'Since' },
      { column: watch.isNew, label: 'Not checked yet' },
      watch.lastAlertAt,
      { column: watch.remindAt, label: 'Next reminder' },
      { column: watch.reminders, label: 'Reminders since the last opening' },
      watch.archivedAt,
    ]),
  ],
  cascades: [
    {
      label: 'alerts',
      from: sql`${watch} CROSS JOIN ${classAlert}
        ON ${classAlert.sectionId} = ${watch.sectionId} AND ${classAlert.recipientId} = ${watch.recipientId}
        JOIN ${recipient} ON ${recipient.id} = ${classAlert.recipientId}`,
      key: watch.id,
      title: sql`${recipient.name} || ': ' || ${classAlert.kind}`,
      effect: 'kept; anything not yet sent is canceled',
    },
  ],
  mayChange: false,
  save: addWatch,
  remove: removeWatch,
}

const scopeOf = ({ recipient_id, section_id }: AdminChange['values']) => ({
  recipientId: Number(recipient_id),
  sectionId: Number(section_id),
})

async function addWatch(env: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const scope = scopeOf(values)
  const plan = await planWatch(env.DB, scope, now)
  if ('refusal' in plan) return { errors: plan.refusal.messages.map((message) => ({ message })) }
  return {
    ...plan,
    // An archived watch is revived under its old id.
    addedKey: sql`(SELECT ${watch.id} FROM ${watch} WHERE ${watch.recipientId} = ${constant(scope.recipientId)}
      AND ${watch.sectionId} = ${constant(scope.sectionId)})`,
    afterwards: () => pollAtOnce(env, scope.sectionId),
  }
}

async function removeWatch(_env: Env, { before, now }: AdminRemoval): Promise<AdminPlan> {
  return { statements: deleteWatch(scopeOf(before), now), message: 'Section removed successfully' }
}
