import { shownOnly } from '../../web/admin-text-fields.ts'
import type { AdminFault, AdminRow } from '../../web/admin-change.ts'
import type { TextField } from '../../web/admin-text-table.ts'
import type { CheckedContact } from '../recipients/check-forms.ts'
import { contactKinds } from './parts.ts'

/*
 * A contact as it is edited by itself and among the others of its recipient.
 */

export const contactFields = (addressLabel: string): TextField[] => [
  { name: 'kind', label: 'Kind', kind: 'choice', choices: contactKinds, isRequired: true, initial: 'phone' },
  {
    name: 'address',
    label: addressLabel,
    kind: 'text',
    isRequired: true,
    maximum: 400,
    help: 'A phone number, an email address or the address of a Discord webhook, as the kind says.',
  },
  { name: 'is_enabled', label: 'Enabled', kind: 'boolean', initial: 1 },
  ...shownOnly([
    { name: 'verified_at', label: 'Verified', kind: 'moment' },
    { name: 'opted_out_at', label: 'Opted out', kind: 'moment' },
  ]),
]

/** The fields of a form as the page *Add Classes* would have sent them. */
export function postedContact(values: AdminRow): { kind: string; number: string; is_enabled: boolean } {
  return {
    kind: String(values['kind'] ?? ''),
    number: String(values['address'] ?? ''),
    is_enabled: values['is_enabled'] === 1,
  }
}

/** @param prefix of the contact's fields in the form, '' where the form is its own */
export function contactFaults({ errors }: CheckedContact, prefix: string): AdminFault[] {
  return [
    ...(errors.kind ? [{ field: `${prefix}kind`, message: errors.kind }] : []),
    ...(errors.number ? [{ field: `${prefix}address`, message: errors.number }] : []),
    ...(errors.form ?? []).map((message) => ({ message })),
  ]
}

/** Whether an error of the database says that somebody has the address already. */
export const isTakenAddress = (error: string): boolean => error.includes('contact.kind, contact.address_key')
