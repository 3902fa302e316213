import type { Contact, Recipient, WatchedSection } from '../../../src/class-tracker/contract.ts'
import { plainText } from '../../components/option-filter.ts'
import { sectionName } from './section-text.ts'

/** A saved recipient in the list: a new one goes to the top with nothing watched, a known one takes the saved values. */
export function withRecipient(recipients: readonly Recipient[], saved: Recipient): Recipient[] {
  if (!recipients.some(({ id }) => id === saved.id)) return [{ ...saved, watched_sections: [] }, ...recipients]
  return recipients.map((recipient) => (recipient.id === saved.id ? { ...recipient, ...saved } : recipient))
}

export function withoutRecipient(recipients: readonly Recipient[], id: number): Recipient[] {
  return recipients.filter((recipient) => recipient.id !== id)
}

function changed(
  recipients: readonly Recipient[],
  id: number,
  change: (recipient: Recipient) => Partial<Recipient>,
): Recipient[] {
  return recipients.map((recipient) => (recipient.id === id ? { ...recipient, ...change(recipient) } : recipient))
}

/** The newest watch first; one that is there already is renewed where it stands. */
export function withSection(recipients: readonly Recipient[], id: number, added: WatchedSection): Recipient[] {
  return changed(recipients, id, ({ watched_sections: sections }) => ({
    watched_sections: sections.some((section) => section.id === added.id)
      ? sections.map((section) => (section.id === added.id ? added : section))
      : [added, ...sections],
  }))
}

export function withoutSection(recipients: readonly Recipient[], id: number, sectionId: number): Recipient[] {
  return changed(recipients, id, ({ watched_sections: sections }) => ({
    watched_sections: sections.filter((section) => section.id !== sectionId),
  }))
}

export function withoutContact(recipients: readonly Recipient[], contactId: number): Recipient[] {
  return recipients.map((recipient) => ({
    ...recipient,
    phone_numbers: recipient.phone_numbers.filter(({ id }) => id !== contactId),
  }))
}

/**
 * What the server says now, taking over the objects that did not change, so that only what changed is drawn again.
 */
export function refreshed(shown: readonly Recipient[], fresh: readonly Recipient[]): Recipient[] {
  const known = new Map(shown.map((recipient) => [recipient.id, recipient]))
  return fresh.map((recipient) => {
    const before = known.get(recipient.id)
    return before && JSON.stringify(before) === JSON.stringify(recipient) ? before : recipient
  })
}

/** Whether a message to this contact would be sent at all. */
export function isUsable(contact: Contact, recipient: Pick<Recipient, 'is_contact_by_phone'>): boolean {
  return contact.is_enabled && !contact.opted_out && (contact.kind !== 'phone' || recipient.is_contact_by_phone)
}

/** Why nobody would be messaged, or '' when somebody would. */
export function unreachableText(recipient: Recipient): string {
  if (recipient.phone_numbers.some((contact) => isUsable(contact, recipient))) return ''
  if (recipient.phone_numbers.length === 0)
    return `${recipient.name} has no contact info, so nobody will be notified when a seat opens.`
  return `${recipient.name} has no usable contact, so nobody will be notified when a seat opens.`
}

/** Recipients whose name, description, contacts or watched sections hold every word of the query. */
export function matching(recipients: readonly Recipient[], query: string): readonly Recipient[] {
  const words = plainText(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return recipients
  return recipients.filter((recipient) => {
    const contacts = recipient.phone_numbers.map(({ number }) => number)
    const sections = recipient.watched_sections.map(
      (section) => `${sectionName(section)} ${section.number} ${section.school.name}`,
    )
    const text = plainText([recipient.name, recipient.description, ...contacts, ...sections].join(' '))
    return words.every((word) => text.includes(word))
  })
}
