import { readTogether } from '../../db/read-together.ts'
import type { Actor } from '../../web/audit.ts'
import { conflict, notThere } from '../../web/refusal.ts'
import type { AddRecipient } from '../contract.ts'
import { auditRecipient } from './audit-recipient.ts'
import { type CheckedForms, checkForms } from './check-forms.ts'
import { knownForms } from './known-forms.ts'
import { readPostedForms } from './posted-form.ts'
import { contactForm, newContact, recipientForm } from './recipient-form.ts'
import { readRecipient, recipientsOf, recipientStatements, type RecipientLists } from './recipient-rows.ts'
import { writeRecipient } from './write-recipient.ts'

/**
 * Adds a recipient (id 0) or changes one, with all its contacts, in one atomic batch. What is wrong comes back at its field,
 * with everything that was typed: `is_saved` is false then.
 * @param actor who asks, for the audit
 * @throws notThere for an unknown recipient, conflict when it was changed at the same moment
 */
export async function saveRecipient(
  env: Pick<Env, 'DB' | 'DISCORD_API_URL'>,
  recipientId: number,
  posted: FormData,
  csrfToken: string,
  now: number,
  actor?: Actor,
): Promise<{ is_saved: boolean; answer: AddRecipient }> {
  const known = recipientId === 0 ? null : await readRecipient(env.DB, recipientId)
  if (recipientId !== 0 && !known) throw notThere(`Recipient id ${recipientId} not found`)
  const checked = checkForms(readPostedForms(posted), known && knownForms(known), env.DISCORD_API_URL)
  if (!checked.is_valid) return refilled(checked, csrfToken)
  const scope =
    recipientId === 0 ? { ids: 'SELECT max(id) AS id FROM recipient', values: [] } : { ids: '?', values: [recipientId] }
  const writes = [
    ...writeRecipient(env.DB, recipientId, checked, now),
    ...(actor ? auditRecipient(env.DB, recipientId, { known, checked }, now, actor) : []),
  ]
  try {
    const lists = await readTogether<unknown[][]>(env.DB, ...writes, ...recipientStatements(env.DB, scope, now))
    const [recipient] = recipientsOf(lists.slice(writes.length) as unknown as RecipientLists, now)
    if (!recipient) throw notThere(`Recipient id ${recipientId} not found`)
    return {
      is_saved: true,
      answer: { recipient, recipient_form: null, contact_info_forms: [], new_contact_info_form: null },
    }
  } catch (error) {
    if (!isTaken(error)) throw error
    return refilled(await sayOwners(env.DB, recipientId, checked), csrfToken)
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && /UNIQUE constraint failed: contact\.kind, contact\.address_key/.test(error.message)
}

/** The unique index refused an address: says at its field whose it is. */
export async function sayOwners(db: D1Database, recipientId: number, checked: CheckedForms): Promise<CheckedForms> {
  const addresses = checked.contacts.map((contact) => [contact.values.kind, contact.key])
  const { results: owners } = await db
    .prepare(
      `SELECT n.kind, n.address_key, r.name FROM json_each(?) a
       JOIN contact n ON n.kind = a.value ->> 0 AND n.address_key = a.value ->> 1
       JOIN recipient r ON r.id = n.recipient_id
       WHERE n.recipient_id <> ?`,
    )
    .bind(JSON.stringify(addresses), recipientId)
    .all<{ kind: string; address_key: string; name: string }>()
  if (owners.length === 0)
    throw conflict('This recipient was changed by someone else at the same moment. Please try again.')
  const contacts = checked.contacts.map((contact) => {
    const owner = owners.find((other) => other.kind === contact.values.kind && other.address_key === contact.key)
    return owner ? { ...contact, errors: { number: `This contact already belongs to ${owner.name}.` } } : contact
  })
  return { ...checked, is_valid: false, contacts }
}

/** The forms again, as they were filled in. */
function refilled(checked: CheckedForms, csrfToken: string): { is_saved: false; answer: AddRecipient } {
  const added = checked.contacts.find((contact) => contact.id === null)
  return {
    is_saved: false,
    answer: {
      recipient: null,
      recipient_form: recipientForm(checked.recipient, checked.recipient_errors, csrfToken),
      contact_info_forms: checked.contacts.flatMap(({ id, values, errors }) =>
        id === null ? [] : [{ contact_id: id, ...contactForm(String(id), values, errors) }],
      ),
      new_contact_info_form: contactForm('new', added?.values ?? newContact, added?.errors ?? {}),
    },
  }
}
