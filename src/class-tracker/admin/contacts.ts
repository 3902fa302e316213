import { belongsTo } from '../../web/admin-text-fields.ts'
import type { TextTable } from '../../web/admin-text-table.ts'
import { deleteContact } from '../recipients/remove-contact.ts'
import { contactFields } from './contact-form.ts'
import { area, contactKinds } from './parts.ts'
import { explainContact, saveContact } from './save-contact.ts'

/** All ways to reach people; the rules are those of the page *Add Classes*. */
export const contactsTable: TextTable = {
  name: 'contacts',
  label: 'Contact',
  labels: 'Contacts',
  area,
  about: 'Ways to reach recipients. An address belongs to one recipient.',
  table: 'contact',
  title: "r.name || ': ' || t.kind || ' ' || t.address",
  join: 'LEFT JOIN recipient r ON r.id = t.recipient_id',
  columns: [
    { name: 'address', label: 'Address' },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: contactKinds },
    { name: 'recipient', label: 'Recipient', sql: 'r.name', link: { table: 'recipients', key: 'r.id' } },
    { name: 'is_enabled', label: 'Enabled', kind: 'boolean' },
    { name: 'verified_at', label: 'Verified', kind: 'moment' },
    { name: 'opted_out_at', label: 'Opted out', kind: 'moment' },
    { name: 'created_at', label: 'Added', kind: 'moment' },
  ],
  search: {
    label: 'Address or recipient',
    contains: ['t.address', '(SELECT r.name FROM recipient r WHERE r.id = t.recipient_id)'],
    begins: ['lower(t.address)'],
  },
  filters: [
    { name: 'recipient_id', label: 'Recipient', kind: 'reference', to: 'recipients', isIndexed: true },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: contactKinds },
    { name: 'is_enabled', label: 'Enabled', kind: 'boolean' },
    {
      name: 'state',
      label: 'State',
      kind: 'choice',
      choices: [
        { value: 'verified', label: 'Verified', where: 't.verified_at IS NOT NULL' },
        { value: 'unverified', label: 'Not verified', where: 't.verified_at IS NULL' },
        { value: 'opted_out', label: 'Opted out', where: 't.opted_out_at IS NOT NULL' },
      ],
    },
  ],
  fields: [
    belongsTo('recipient_id', 'Recipient', 'recipients'),
    ...contactFields('Address'),
    { name: 'created_at', label: 'Added', kind: 'moment', readOnly: 'always' },
  ],
  goesWith: [
    {
      label: 'messages',
      from: 'delivery d',
      key: 'd.contact_id',
      title: "d.channel || ' ' || d.state",
      fate: 'kept, their address masked; what was not sent yet is canceled',
    },
  ],
  actions: [
    {
      name: 'opt_in',
      label: 'Take the opt-out back',
      set: { opted_out_at: null },
      confirm:
        'Messages go to these addresses again. Only when their owners asked for it: links and replies do the same.',
    },
  ],
  save: saveContact,
  async remove(_, { key }) {
    return { statements: deleteContact(Number(key)), said: 'Contact removed successfully' }
  },
  explain: explainContact,
}
