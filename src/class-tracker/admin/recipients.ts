import type {
  AdminChange,
  AdminFault,
  AdminInlineChange,
  AdminPlan,
  AdminRow,
  AdminTable,
} from '../../web/admin-table.ts'
import { type CheckedForms, checkForms } from '../recipients/check-forms.ts'
import { longestDescription, longestName, type PostedForms } from '../recipients/posted-form.ts'
import { readRecipient } from '../recipients/recipient-rows.ts'
import { removeContactStatements } from '../recipients/remove-contact.ts'
import { sayOwners } from '../recipients/save-recipient.ts'
import { writeRecipient } from '../recipients/write-recipient.ts'

const kinds = [
  { value: 'phone', label: 'Phone (SMS)' },
  { value: 'email', label: 'Email' },
  { value: 'discord', label: 'Discord webhook' },
]

/** Recipients with their contacts; the rules are those of the page *Add Classes*. */
export const recipientsTable: AdminTable = {
  name: 'recipients',
  label: 'Recipient',
  labels: 'Recipients',
  area: 'Class tracker',
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
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, maximum: longestName },
    { name: 'description', label: 'Description', kind: 'long_text', maximum: longestDescription },
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
      name: 'contacts',
      label: 'Contact',
      labels: 'Contacts',
      table: 'contact',
      parent: 'recipient_id',
      fields: [
        { name: 'kind', label: 'Kind', kind: 'choice', choices: kinds, isRequired: true, initial: 'phone' },
        {
          name: 'address',
          label: 'Phone Number',
          kind: 'text',
          isRequired: true,
          maximum: 400,
          help: 'A phone number, an email address or the address of a Discord webhook, as the kind says.',
        },
        { name: 'is_enabled', label: 'Enabled', kind: 'boolean', initial: 1 },
        { name: 'verified_at', label: 'Verified', kind: 'moment', readOnly: 'always' },
        { name: 'opted_out_at', label: 'Opted out', kind: 'moment', readOnly: 'always' },
      ],
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
      title: "k.code || ' ' || k.level || ' section ' || s.section",
    },
    {
      label: 'alerts',
      from: 'class_alert a JOIN section s ON s.id = a.section_id JOIN course k ON k.id = s.course_id',
      key: 'a.recipient_id',
      title: "k.code || ' ' || k.level || ' section ' || s.section",
    },
    {
      label: 'messages',
      from: 'delivery d',
      key: 'd.recipient_id',
      title: "d.channel || ' ' || d.state",
    },
  ],
  save: saveRecipientPlan,
  explain: explainRecipient,
}

const inlineName = 'contacts'

async function checked(env: Env, change: AdminChange): Promise<CheckedForms> {
  const id = Number(change.key ?? 0)
  const known = id === 0 ? null : await readRecipient(env.DB, id)
  const removed = new Set(rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])))
  return checkForms(
    postedForms(change),
    known && {
      recipient: { ...known.recipient, is_contact_by_phone: known.recipient.is_contact_by_phone === 1 },
      contacts: known.contacts
        .filter((contact) => !removed.has(contact.id))
        .map((contact) => ({
          id: contact.id,
          kind: contact.kind,
          number: contact.address,
          key: contact.address_key,
          is_enabled: contact.is_enabled === 1,
        })),
    },
    env.DISCORD_API_URL,
  )
}

const rowsOf = (change: AdminChange): readonly AdminInlineChange[] => change.inlines[inlineName] ?? []

function postedForms(change: AdminChange): PostedForms {
  const kept = rowsOf(change).filter(({ isRemoved }) => !isRemoved)
  const added = kept.find(({ key }) => key === null)
  return {
    recipient: {
      name: String(change.values['name'] ?? ''),
      description: String(change.values['description'] ?? ''),
      is_contact_by_phone: change.values['is_contact_by_phone'] === 1,
    },
    contacts: new Map(kept.flatMap(({ key, values }) => (key === null ? [] : [[key, postedContact(values)]]))),
    new_contact: added ? postedContact(added.values) : null,
  }
}

function postedContact(values: AdminRow) {
  return {
    kind: String(values['kind'] ?? ''),
    number: String(values['address'] ?? ''),
    is_enabled: values['is_enabled'] === 1,
  }
}

async function saveRecipientPlan(env: Env, change: AdminChange): Promise<AdminPlan> {
  const forms = await checked(env, change)
  if (!forms.is_valid) return { faults: faultsOf(forms) }
  const removed = rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved && key !== null ? [key] : []))
  return {
    statements: [
      ...removed.flatMap((key) => removeContactStatements(env.DB, key)),
      ...writeRecipient(env.DB, Number(change.key ?? 0), forms, change.now),
    ],
  }
}

/** An address that somebody else has: the sentence says whose it is. */
async function explainRecipient(env: Env, error: string, change: AdminChange): Promise<readonly AdminFault[] | null> {
  if (!error.includes('contact.kind, contact.address_key')) return null
  return faultsOf(await sayOwners(env.DB, Number(change.key ?? 0), await checked(env, change)))
}

function faultsOf(forms: CheckedForms): AdminFault[] {
  const { name, description, form = [] } = forms.recipient_errors
  return [
    ...(name ? [{ field: 'name', message: name }] : []),
    ...(description ? [{ field: 'description', message: description }] : []),
    ...form.map((message) => ({ message })),
    ...forms.contacts.flatMap(({ id, errors }) => {
      const prefix = `${inlineName}-${id ?? 'new'}`
      return [
        ...(errors.kind ? [{ field: `${prefix}-kind`, message: errors.kind }] : []),
        ...(errors.number ? [{ field: `${prefix}-address`, message: errors.number }] : []),
        ...(errors.form ?? []).map((message) => ({ message })),
      ]
    }),
  ]
}
