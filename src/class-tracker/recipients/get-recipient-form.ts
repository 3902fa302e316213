import { notThere } from '../../web/refusal.ts'
import type { GetRecipientForm } from './contract.ts'
import { recipientForms } from './recipient-form.ts'
import { contactOf, readRecipient } from './recipient-rows.ts'

/** The forms of a recipient; with id 0 those of a new one. @throws notThere */
export async function getRecipientForm(
  db: D1Database,
  recipientId: number,
  csrfToken: string,
): Promise<GetRecipientForm> {
  if (recipientId === 0) return recipientForms(null, csrfToken)
  const found = await readRecipient(db, recipientId)
  if (!found) throw notThere(`Recipient id ${recipientId} not found`)
  return recipientForms({ ...found.recipient, phone_numbers: found.contacts.map(contactOf) }, csrfToken)
}
