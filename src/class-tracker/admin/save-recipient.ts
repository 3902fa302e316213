import type { AdminChange, AdminFault, AdminInlineChange, AdminPlan } from '../../web/admin-change.ts'
import { type CheckedForms, checkForms } from '../recipients/check-forms.ts'
import type { PostedForms } from '../recipients/posted-form.ts'
import { knownForms, readRecipient } from '../recipients/recipient-rows.ts'
import { deleteContact } from '../recipients/remove-contact.ts'
import { nameOwners } from '../recipients/save-recipient.ts'
import { writeRecipient } from '../recipients/write-recipient.ts'
import { contactFaults, isTakenAddress, postedContact } from './contact-form.ts'

/** Name of the inline of contacts in a recipient's form. */
export const contactsInline = 'contacts'

async function checked(env: Env, change: AdminChange): Promise<CheckedForms> {
  const id = Number(change.key ?? 0)
  const known = id === 0 ? null : await readRecipient(env.DB, id)
  const removed = new Set(rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])))
  const kept = known?.contacts.filter((contact) => !removed.has(contact.id)) ?? []
  return checkForms(postedForms(change), known && knownForms({ ...known, contacts: kept }), env.DISCORD_API_URL)
}

const rowsOf = (change: AdminChange): readonly AdminInlineChange[] => change.inlines[contactsInline] ?? []

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

export async function saveRecipient(env: Env, change: AdminChange): Promise<AdminPlan> {
  const forms = await checked(env, change)
  if (!forms.is_valid) return { faults: faultsOf(forms) }
  const removed = rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved && key !== null ? [key] : []))
  return {
    statements: [
      ...removed.flatMap((key) => deleteContact(key)),
      ...writeRecipient(Number(change.key ?? 0), forms, change.now),
    ],
  }
}

/** An address that somebody else has: the sentence says whose it is. */
export async function explainRecipient(
  env: Env,
  error: string,
  change: AdminChange,
): Promise<readonly AdminFault[] | null> {
  if (!isTakenAddress(error)) return null
  return faultsOf(await nameOwners(env.DB, Number(change.key ?? 0), await checked(env, change)))
}

function faultsOf(forms: CheckedForms): AdminFault[] {
  const { name, description, form = [] } = forms.recipient_errors
  return [
    ...(name ? [{ field: 'name', message: name }] : []),
    ...(description ? [{ field: 'description', message: description }] : []),
    ...form.map((message) => ({ message })),
    ...forms.contacts.flatMap((contact) => contactFaults(contact, `${contactsInline}-${contact.id ?? 'new'}-`)),
  ]
}
