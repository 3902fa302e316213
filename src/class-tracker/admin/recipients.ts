import type { TextTable } from '../../web/admin-text-table.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from '../recipients/posted-form.ts'
import { contactFields } from './contact-form.ts'
import { area, sectionName } from './parts.ts'
import { contactsInline, explainRecipient, saveRecipient } from './save-recipient.ts'

/** Recipients with their contacts; the rules are those of the page *Add Classes*. */
export const recipientsTable: TextTable = {
  name: 'recipients',
  label: 'Recipient',
  labels: 'Recipients',
  area,
  about: 'People who wait for seats, and the ways to reach them.',
  table: 'recipient',
  title: 't.name',
  columns: [
    { name: 'name', label: 'Name', sort: 'lower(t.name)' },
    { name: 'description', label: 'Description' },
    {
      name: 'contacts',
      label: 'Contacts',
      kind: 'number',
      sql: '(SELECT count(*) FROM contact c WHERE c.recipient_id = t.id)',
    },
    {
      name: 'watches',
      label: 'Watches',
      kind: 'number',
      sql: '(SELECT count(*) FROM watch w WHERE w.recipient_id = t.id AND w.archived_at IS NULL)',
    },
    { name: 'is_contact_by_phone', label: 'By phone', kind: 'boolean' },
    { name: 'created_at', label: 'Added', kind: 'moment' },
  ],
  search: {
    label: 'Name, description or contact',
    contains: [
      't.name',
      't.description',
      "(SELECT group_concat(c.address, ' ') FROM contact c WHERE c.recipient_id = t.id)",
    ],
    begins: ['lower(t.name)'],
  },
  filters: [
    { name: 'is_contact_by_phone', label: 'Contact by phone', kind: 'boolean' },
    {
      name: 'reach',
      label: 'Reachable',
      kind: 'choice',
      choices: [
        {
          value: 'no',
          label: 'Without an enabled contact',
          where: 'NOT EXISTS (SELECT 1 FROM contact c WHERE c.recipient_id = t.id AND c.is_enabled)',
        },
        {
          value: 'opted_out',
          label: 'With a contact that opted out',
          where: 'EXISTS (SELECT 1 FROM contact c WHERE c.recipient_id = t.id AND c.opted_out_at IS NOT NULL)',
        },
      ],
    },
    { name: 'created_at', label: 'Added', kind: 'moment' },
  ],
  fields: [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maximum: MAX_NAME_LENGTH },
    { name: 'description', label: 'Description', kind: 'long_text', maximum: MAX_DESCRIPTION_LENGTH },
    {
      name: 'is_contact_by_phone',
      label: 'Allow Contact by Phone',
      kind: 'boolean',
      initial: 1,
      help: 'Without it no SMS is sent; other contacts are still messaged.',
    },
    { name: 'created_at', label: 'Added', kind: 'moment', readOnly: 'always' },
  ],
  inlines: [
    {
      name: contactsInline,
      label: 'Contact',
      labels: 'Contacts',
      table: 'contact',
      parent: 'recipient_id',
      fields: contactFields('Phone Number'),
    },
  ],
  goesWith: [
    {
      label: 'contacts',
      from: 'contact c',
      key: 'c.recipient_id',
      title: "c.kind || ' ' || c.address",
    },
    {
      label: 'watches',
      from: 'watch w JOIN section s ON s.id = w.section_id JOIN course k ON k.id = s.course_id',
      key: 'w.recipient_id',
      title: sectionName,
    },
    {
      label: 'alerts',
      from: 'class_alert a JOIN section s ON s.id = a.section_id JOIN course k ON k.id = s.course_id',
      key: 'a.recipient_id',
      title: sectionName,
    },
    {
      label: 'messages',
      from: 'delivery d',
      key: 'd.recipient_id',
      title: "d.channel || ' ' || d.state",
    },
  ],
  save: saveRecipient,
  explain: explainRecipient,
}
