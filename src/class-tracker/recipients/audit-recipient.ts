import { sql } from 'drizzle-orm'
import type { Query } from '../../db/query.ts'
import { contact, recipient } from '../../db/schema/index.ts'
import { withoutSecrets, type Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import type { CheckedForms } from './check-forms.ts'
import type { RecipientContacts } from './recipient-rows.ts'

type State = Record<string, string | number>

/**
 * Writes down what a form made of a recipient and its contacts (id 0: of a new one); nothing when it changed nothing. It stands
 * behind the statements that write.
 */
export function auditRecipient(
  recipientId: number,
  { known, checked }: { known: RecipientContacts | null; checked: CheckedForms },
  now: number,
  actor: Actor,
): Query[] {
  const [before, after] = [known ? stateBefore(known) : {}, stateAfter(checked)]
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
        FROM ${recipient} WHERE ${recipient.id} = ${known ? sql`${recipientId}` : sql`(SELECT max(${recipient.id}) FROM ${recipient})`}`,
      now,
    ),
  ]
}

function stateBefore({ recipient: { name, description, is_contact_by_phone }, contacts }: RecipientContacts): State {
  const state: State = { name, description, is_contact_by_phone: Number(is_contact_by_phone) }
  for (const { id, kind, address, is_enabled } of contacts) {
    addContact(state, id, { kind, address, is_enabled: Number(is_enabled) })
  }
  return state
}

function stateAfter({ recipient: { name, description, is_contact_by_phone }, contacts }: CheckedForms): State {
  const state: State = { name, description, is_contact_by_phone: Number(is_contact_by_phone) }
  for (const { id, values, address } of contacts) {
    addContact(state, id ?? 'new', { kind: values.kind, address, is_enabled: Number(values.is_enabled) })
  }
  return state
}

function addContact(state: State, id: number | 'new', contact: State): void {
  for (const [name, value] of Object.entries(contact)) state[`contacts-${id}-${name}`] = value
}

/** A contact's address as the audit keeps it: a webhook's address is its password, so it is not kept; nor are a device's keys. */
export const auditedAddress = sql`CASE ${contact.kind} WHEN 'discord' THEN 'webhook' WHEN 'push' THEN ${contact.device} ELSE ${contact.address} END`
