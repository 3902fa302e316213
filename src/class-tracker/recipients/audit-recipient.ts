import { sql } from 'drizzle-orm'
import type { Query } from '../../db/query.ts'
import { contact, recipient } from '../../db/schema/index.ts'
import { withoutSecrets, type Actor, auditRows } from '../../web/audit.ts'
import type { CheckedForms } from './check-forms.ts'
import type { RecipientValues } from './recipient-form.ts'
import type { RecipientContacts } from './recipient-rows.ts'
import { savedId } from './write-recipient.ts'

type State = Record<string, string | number>

/** The audit entry of what a form changed, if anything (id 0: a new recipient). Must follow the writing statements. */
export function auditRecipient(
  recipientId: number,
  { known, checked }: { known: RecipientContacts | null; checked: CheckedForms },
  now: number,
  actor: Actor,
): Query[] {
  const before = known ? stateOf(known.recipient, known.contacts) : {}
  const posted = checked.contacts.map(({ id, values, address }) => ({ ...values, id: id ?? ('new' as const), address }))
  const after = stateOf(checked.recipient, posted)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  )
  if (names.length === 0) return []
  const part = (state: State) =>
    withoutSecrets(JSON.stringify(Object.fromEntries(names.map((name) => [name, state[name]]))))
  return [
    auditRows(
      actor,
      { act: known ? 'changed' : 'added', area: 'class_tracker', table: 'recipient' },
      sql`SELECT ${recipient.id} AS row_key, ${recipient.name} AS title, ${known ? part(before) : null} AS before, ${part(after)} AS after
        FROM ${recipient} WHERE ${recipient.id} = ${savedId(recipientId)}`,
      now,
    ),
  ]
}

interface AuditedContact {
  id: number | 'new'
  kind: string
  address: string
  is_enabled: boolean
}

/** All fields of a recipient and its contacts by name, to compare them before and after. */
function stateOf(
  { name, description, is_contact_by_phone }: RecipientValues,
  contacts: readonly AuditedContact[],
): State {
  const state: State = { name, description, is_contact_by_phone: Number(is_contact_by_phone) }
  for (const { id, kind, address, is_enabled } of contacts) {
    for (const [field, value] of Object.entries({ kind, address, is_enabled: Number(is_enabled) }))
      state[`contacts-${id}-${field}`] = value
  }
  return state
}

/** A contact's address as the audit stores it: without webhook URLs, which are secrets, and without a device's keys. */
export const auditedAddress = sql`CASE ${contact.kind} WHEN 'discord' THEN 'webhook' WHEN 'push' THEN ${contact.device} ELSE ${contact.address} END`
