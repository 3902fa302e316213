import { currentValue, keepYours } from '../../web/current-value.ts'
import { textField } from '../../web/parse.ts'
import type { CheckedContact, CheckedForms } from './check-forms.ts'
import { contactPrefix, type FormVersions, recipientPrefix } from './form-versions.ts'
import type { ContactErrors, RecipientErrors } from './recipient-form.ts'
import { type ContactRow, type RecipientContacts, shownAddress } from './recipient-rows.ts'

const overtaken = `Someone else changed this recipient after you opened it. ${keepYours}`

/**
 * Refuses forms whose values someone else has changed since they were opened, unless what they say is the same now. A
 * form without a version, as another program may send it, is not compared.
 * @param versions those of `known`
 */
export function refuseOvertaken(
  checked: CheckedForms,
  { posted, known, versions }: { posted: FormData; known: RecipientContacts; versions: FormVersions },
): CheckedForms {
  const isOld = (prefix: string): boolean =>
    posted.has(`${prefix}was`) && textField(posted, `${prefix}was`) !== versions.get(prefix)
  const own = isOld(recipientPrefix) ? ownDifferences(checked, known) : {}
  const differing = new Map(
    checked.contacts.flatMap((contact) => {
      const row = known.contacts.find(({ id }) => id === contact.id)
      const errors = row && isOld(contactPrefix(row.id)) ? contactDifferences(contact, row) : {}
      return Object.keys(errors).length > 0 ? [[contact.id, errors]] : []
    }),
  )
  if (Object.keys(own).length === 0 && differing.size === 0) return checked
  const form = [overtaken, ...(own.form ?? []), ...(checked.recipient_errors.form ?? [])]
  return {
    ...checked,
    is_valid: false,
    recipient_errors: { ...checked.recipient_errors, ...own, form },
    contacts: checked.contacts.map((one) => ({ ...one, errors: { ...one.errors, ...differing.get(one.id) } })),
  }
}

function ownDifferences(
  { recipient: typed }: CheckedForms,
  { recipient: present }: RecipientContacts,
): RecipientErrors {
  const { name, description, is_contact_by_phone: isByPhone } = present
  return {
    ...(typed.name !== name && { name: currentValue(name) }),
    ...(typed.description !== description && { description: currentValue(description) }),
    ...(typed.is_contact_by_phone !== isByPhone && { form: [`Contact by phone is ${onOrOff(isByPhone)} now.`] }),
  }
}

function contactDifferences({ values, is_typed }: CheckedContact, present: ContactRow): ContactErrors {
  const address = shownAddress(present)
  return {
    ...(is_typed && { number: currentValue(address) }),
    ...(values.is_enabled !== present.is_enabled && { form: [`${address} is ${onOrOff(present.is_enabled)} now.`] }),
  }
}

const onOrOff = (isOn: boolean): string => `turned ${isOn ? 'on' : 'off'}`
