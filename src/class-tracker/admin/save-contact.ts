import type { AdminChange, AdminFault, AdminPlan } from '../../web/admin-change.ts'
import { type CheckedForms, checkForms } from '../recipients/check-forms.ts'
import { knownForms, readRecipient } from '../recipients/recipient-rows.ts'
import { nameOwners } from '../recipients/save-recipient.ts'
import { writeRecipient } from '../recipients/write-recipient.ts'
import { contactFaults, isTakenAddress, postedContact } from './contact-form.ts'

export async function saveContact(env: Env, change: AdminChange): Promise<AdminPlan> {
  const checked = await checkContact(env, change)
  if (!checked) return { faults: [{ field: 'recipient_id', message: 'This recipient is no longer there.' }] }
  if (!checked.is_valid) {
    const faults = faultsOf(checked)
    // Of two alike the form of the recipient blames the later one, which is not on this page.
    const twin = { field: 'address', message: 'This recipient has this contact already.' }
    return { faults: faults.length > 0 ? faults : [twin] }
  }
  // Behind the first statement, which is the recipient's own.
  const [, ...statements] = writeRecipient(recipientOf(change), checked, change.now)
  return { statements }
}

const recipientOf = ({ values }: AdminChange): number => Number(values['recipient_id'])

/** The forms of the recipient as if only this contact's had been filled, with this contact alone in the answer. */
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
    knownForms(known),
    env.DISCORD_API_URL,
  )
  return { ...checked, contacts: checked.contacts.filter((contact) => contact.id === id) }
}

/** An address that somebody else has: the sentence says whose it is. */
export async function explainContact(
  env: Env,
  error: string,
  change: AdminChange,
): Promise<readonly AdminFault[] | null> {
  if (!isTakenAddress(error)) return null
  const checked = await checkContact(env, change)
  return checked && faultsOf(await nameOwners(env.DB, recipientOf(change), checked))
}

function faultsOf({ recipient_errors, contacts }: CheckedForms): AdminFault[] {
  return [
    ...(recipient_errors.form ?? []).map((message) => ({ message })),
    ...contacts.flatMap((contact) => contactFaults(contact, '')),
  ]
}
