import type { KnownForms } from './check-forms.ts'
import type { ContactRow, RecipientRow } from './recipient-rows.ts'

/** A recipient's rows as its forms show them, for what was sent to be laid over. */
export function knownForms({
  recipient,
  contacts,
}: {
  recipient: RecipientRow
  contacts: readonly ContactRow[]
}): KnownForms {
  return {
    recipient: { ...recipient, is_contact_by_phone: recipient.is_contact_by_phone === 1 },
    contacts: contacts.map((contact) => ({
      id: contact.id,
      kind: contact.kind,
      number: contact.address,
      key: contact.address_key,
      is_enabled: contact.is_enabled === 1,
    })),
  }
}
