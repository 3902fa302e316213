import type { KnownForms } from './check-forms.ts'
import type { RecipientContacts } from './recipient-rows.ts'

/** A recipient's rows as its forms show them, for what was sent to be laid over. */
export function knownForms({ recipient, contacts }: RecipientContacts): KnownForms {
  return {
    recipient,
    contacts: contacts.map(({ id, kind, address, address_key, is_enabled }) => ({
      id,
      kind,
      number: address,
      key: address_key,
      is_enabled,
    })),
  }
}
