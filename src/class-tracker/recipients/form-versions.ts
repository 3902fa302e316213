import { hashOf } from '../../web/security/signing.ts'
import type { RecipientContacts } from './recipient-rows.ts'

/** The hidden field `was` of each form, by the form's prefix: a hash of what it showed when it was opened. */
export type FormVersions = ReadonlyMap<string, string>

export const recipientPrefix = 'recipient-'
export const contactPrefix = (id: number | string): string => `contact-${id}-`

export async function versionsOf({ recipient, contacts }: RecipientContacts): Promise<FormVersions> {
  const { name, description, is_contact_by_phone } = recipient
  const shown: [string, unknown[]][] = [
    [recipientPrefix, [name, description, is_contact_by_phone]],
    ...contacts.map((row): [string, unknown[]] => [contactPrefix(row.id), [row.kind, row.address, row.is_enabled]]),
  ]
  const hashed = shown.map(async ([prefix, values]) => [prefix, await hashOf(JSON.stringify(values))] as const)
  return new Map(await Promise.all(hashed))
}
