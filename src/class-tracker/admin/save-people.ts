import type { AdminChange, AdminInlineChange, AdminPlan, AdminRow } from '../../web/admin-change.ts'
import { type CheckedContact, type CheckedForms, checkForms } from '../recipients/check-forms.ts'
import type { PostedForms } from '../recipients/posted-form.ts'
import { readRecipient } from '../recipients/recipient-rows.ts'
import { deleteContact } from '../recipients/remove-recipient.ts'
import { isTakenAddress, nameOwners } from '../recipients/save-recipient.ts'
import { writeRecipient } from '../recipients/write-recipient.ts'
import type { FormError } from '../../web/refusal.ts'

/* Saving recipients and contacts in the admin, by the rules of the page *Add Classes*. */

export const contactsInline = 'contacts'

async function checkRecipient(env: Env, change: AdminChange): Promise<CheckedForms> {
  const id = Number(change.key ?? 0)
  const known = id === 0 ? null : await readRecipient(env.DB, id)
  const removed = new Set(rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])))
  const kept = known?.contacts.filter((contact) => !removed.has(contact.id)) ?? []
  return checkForms(postedForms(change), known && { ...known, contacts: kept }, env.DISCORD_API_URL)
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
  const kept = rowsOf(change).filter(({ isRemoved }) => !isRemoved)
  const errors = kept.flatMap(({ prefix, before, values }) => deviceErrors(`${prefix}-`, before, values))
  if (errors.length > 0) return { errors }
  const forms = await checkRecipient(env, change)
  if (!forms.is_valid) return { errors: recipientErrors(forms) }
  const removed = rowsOf(change).flatMap(({ key, isRemoved }) => (isRemoved && key !== null ? [key] : []))
  return {
    statements: [
      ...removed.flatMap((key) => deleteContact(key)),
      ...writeRecipient(Number(change.key ?? 0), forms, change.now),
    ],
  }
}

/** The owner of an address that is already taken. */
export async function explainRecipient(
  env: Env,
  error: string,
  change: AdminChange,
): Promise<readonly FormError[] | null> {
  if (!isTakenAddress(error)) return null
  return recipientErrors(await nameOwners(env.DB, Number(change.key ?? 0), await checkRecipient(env, change)))
}

function recipientErrors(forms: CheckedForms): FormError[] {
  const { name, description, form = [] } = forms.recipient_errors
  return [
    ...(name ? [{ field: 'name', message: name }] : []),
    ...(description ? [{ field: 'description', message: description }] : []),
    ...form.map((message) => ({ message })),
    ...forms.contacts.flatMap((contact) => contactErrors(contact, `${contactsInline}-${contact.id ?? 'new'}-`)),
  ]
}

export async function saveContact(env: Env, change: AdminChange): Promise<AdminPlan> {
  const errors = deviceErrors('', change.before, change.values)
  if (errors.length > 0) return { errors }
  const checked = await checkContact(env, change)
  if (!checked) return { errors: [{ field: 'recipient_id', message: 'This recipient no longer exists.' }] }
  if (!checked.is_valid) {
    const own = ownErrors(checked)
    // If two contacts are equal, the recipient's form shows the error at the later one, which is not on this page.
    const twin = { field: 'address', message: 'This recipient already has this contact.' }
    return { errors: own.length > 0 ? own : [twin] }
  }
  // Runs after the first statement, which writes the recipient.
  const [, ...statements] = writeRecipient(recipientOf(change), checked, change.now)
  return { statements }
}

const recipientOf = ({ values }: AdminChange): number => Number(values['recipient_id'])

/** The recipient's forms with only this contact filled in; the answer has only this contact. */
async function checkContact(env: Env, change: AdminChange): Promise<CheckedForms | null> {
  const known = await readRecipient(env.DB, recipientOf(change))
  if (!known) return null
  const id = change.key === null ? null : Number(change.key)
  const posted = postedContact(change.values)
  const checked = checkForms(
    {
      recipient: { name: undefined, description: undefined, is_contact_by_phone: undefined },
      contacts: new Map(id === null ? [] : [[id, posted]]),
      new_contact: id === null ? posted : null,
    },
    known,
    env.DISCORD_API_URL,
  )
  return { ...checked, contacts: checked.contacts.filter((contact) => contact.id === id) }
}

/** The owner of an address that is already taken. */
export async function explainContact(
  env: Env,
  error: string,
  change: AdminChange,
): Promise<readonly FormError[] | null> {
  if (!isTakenAddress(error)) return null
  const checked = await checkContact(env, change)
  return checked && ownErrors(await nameOwners(env.DB, recipientOf(change), checked))
}

function ownErrors({ recipient_errors, contacts }: CheckedForms): FormError[] {
  return [
    ...(recipient_errors.form ?? []).map((message) => ({ message })),
    ...contacts.flatMap((contact) => contactErrors(contact, '')),
  ]
}

/** The rules leave out what was typed for a device, whose address its browser reports. */
function deviceErrors(prefix: string, before: AdminRow | null, values: AdminRow): FormError[] {
  if (before?.['kind'] !== 'push') return []
  const typed = ['kind', 'address'].filter((name) => values[name] !== before[name])
  return typed.map((name) => ({
    field: `${prefix}${name}`,
    message: 'A device can only be turned off or deleted here.',
  }))
}

/** The fields of a form as the page *Add Classes* would have sent them. */
function postedContact(values: AdminRow): { kind: string; number: string; is_enabled: boolean } {
  return {
    kind: String(values['kind'] ?? ''),
    number: String(values['address'] ?? ''),
    is_enabled: values['is_enabled'] === 1,
  }
}

/** @param prefix of the contact's fields in the form; '' in the contact's own form */
function contactErrors({ errors }: CheckedContact, prefix: string): FormError[] {
  return [
    ...(errors.kind ? [{ field: `${prefix}kind`, message: errors.kind }] : []),
    ...(errors.number ? [{ field: `${prefix}address`, message: errors.number }] : []),
    ...(errors.form ?? []).map((message) => ({ message })),
  ]
}
