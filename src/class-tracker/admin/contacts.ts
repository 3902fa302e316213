import type { AdminChange, AdminFault, AdminPlan, AdminTable } from '../../web/admin-table.ts'
import { type CheckedForms, checkForms } from '../recipients/check-forms.ts'
import type { PostedContact } from '../recipients/posted-form.ts'
import { readRecipient } from '../recipients/recipient-rows.ts'
import { removeContactStatements } from '../recipients/remove-contact.ts'
import { sayOwners } from '../recipients/save-recipient.ts'
import { writeRecipient } from '../recipients/write-recipient.ts'
import { area } from './parts.ts'

const kinds = [
  { value: 'phone', label: 'Phone (SMS)' },
  { value: 'email', label: 'Email' },
  { value: 'discord', label: 'Discord webhook' },
]

/** All ways to reach people; the rules are those of the page *Add Classes*. */
export const contactsTable: AdminTable = {
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
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
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
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds },
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
    {
      name: 'recipient_id',
      label: 'Recipient',
      kind: 'reference',
      to: 'recipients',
      isRequired: true,
      readOnly: 'after_adding',
    },
    { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds, isRequired: true, initial: 'phone' },
    {
      name: 'address',
      label: 'Address',
      kind: 'text',
      isRequired: true,
      maximum: 400,
      help: 'A phone number, an email address or the address of a Discord webhook, as the kind says.',
    },
    { name: 'is_enabled', label: 'Enabled', kind: 'boolean', initial: 1 },
    { name: 'verified_at', label: 'Verified', kind: 'moment', readOnly: 'always' },
    { name: 'opted_out_at', label: 'Opted out', kind: 'moment', readOnly: 'always' },
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
  save: saveContact,
  async remove({ DB }, { key }) {
    return { statements: removeContactStatements(DB, Number(key)), said: 'Contact removed successfully' }
  },
  explain: explainContact,
}

async function saveContact(env: Env, change: AdminChange): Promise<AdminPlan> {
  const checked = await checkContact(env, change)
  if (!checked) return { faults: [{ field: 'recipient_id', message: 'This recipient is no longer there.' }] }
  if (!checked.is_valid) {
    const faults = faultsOf(checked)
    // Of two alike the form of the recipient blames the later one, which is not on this page.
    const twin = { field: 'address', message: 'This recipient has this contact already.' }
    return { faults: faults.length > 0 ? faults : [twin] }
  }
  // Behind the first statement, which is the recipient's own.
  const [, ...statements] = writeRecipient(env.DB, recipientOf(change), checked, change.now)
  return { statements }
}

const recipientOf = ({ values }: AdminChange): number => Number(values['recipient_id'])

/** The forms of the recipient as if only this contact's had been filled, with this contact alone in the answer. */
async function checkContact(env: Env, change: AdminChange): Promise<CheckedForms | null> {
  const known = await readRecipient(env.DB, recipientOf(change))
  if (!known) return null
  const { key, values } = change
  const posted: PostedContact = {
    kind: String(values['kind'] ?? ''),
    number: String(values['address'] ?? ''),
    is_enabled: values['is_enabled'] === 1,
  }
  const checked = checkForms(
    {
      recipient: { name: undefined, description: undefined, is_contact_by_phone: undefined },
      contacts: new Map(key === null ? [] : [[Number(key), posted]]),
      new_contact: key === null ? posted : null,
    },
    {
      recipient: { ...known.recipient, is_contact_by_phone: known.recipient.is_contact_by_phone === 1 },
      contacts: known.contacts.map((contact) => ({
        id: contact.id,
        kind: contact.kind,
        number: contact.address,
        key: contact.address_key,
        is_enabled: contact.is_enabled === 1,
      })),
    },
    env.DISCORD_API_URL,
  )
  return { ...checked, contacts: checked.contacts.filter(({ id }) => id === (key === null ? null : Number(key))) }
}

/** An address that somebody else has: the sentence says whose it is. */
async function explainContact(env: Env, error: string, change: AdminChange): Promise<readonly AdminFault[] | null> {
  if (!error.includes('contact.kind, contact.address_key')) return null
  const checked = await checkContact(env, change)
  return checked && faultsOf(await sayOwners(env.DB, recipientOf(change), checked))
}

function faultsOf({ recipient_errors, contacts }: CheckedForms): AdminFault[] {
  return [
    ...(recipient_errors.form ?? []).map((message) => ({ message })),
    ...contacts.flatMap(({ errors }) => [
      ...(errors.kind ? [{ field: 'kind', message: errors.kind }] : []),
      ...(errors.number ? [{ field: 'address', message: errors.number }] : []),
      ...(errors.form ?? []).map((message) => ({ message })),
    ]),
  ]
}
