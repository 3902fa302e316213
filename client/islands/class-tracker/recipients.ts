import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type {
  AddClassesProps,
  Contact,
  ListedRecipient,
  Recipient,
} from '../../../src/class-tracker/recipients/contract.ts'
import { addressQuery } from '../../address-query.ts'

/** The search and the filters as the address names them; '' for none. */
export type WatchQuery = Record<'q' | 'status' | 'school_id' | 'term_id', string>

export const watchQuery = ({ q = '', filters }: Pick<AddClassesProps, 'q' | 'filters'>): WatchQuery => ({
  q,
  status: filters?.status ?? '',
  school_id: String(filters?.school_id ?? ''),
  term_id: String(filters?.term_id ?? ''),
})

/** The query part of the address; '' for page 1 of everything. */
export const watchSearch = (query: WatchQuery, page = 1): string => addressQuery({ ...query, page })

/** The recipients of a page, each with its complete sections. */
export function wholeRecipients(listed: readonly ListedRecipient[]): Recipient[] {
  const known = new Map<number, WatchedSection>()
  return listed.map((one) => ({
    ...one,
    watched_sections: one.watched_sections.flatMap((given) => {
      if ('course' in given) known.set(given.id, given)
      const section = known.get(given.id)
      return section ? [section] : []
    }),
  }))
}

/** Updates the list with a saved recipient: a new one goes to the top, a known one gets the saved values. */
export function withRecipient(recipients: readonly Recipient[], saved: Recipient): Recipient[] {
  if (!recipients.some(({ id }) => id === saved.id)) return [saved, ...recipients]
  return recipients.map((recipient) =>
    recipient.id === saved.id ? { ...saved, watched_sections: recipient.watched_sections } : recipient,
  )
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

/** Adds a watched section at the top, or updates it in its place if it is there already. */
export function withSection(recipients: readonly Recipient[], id: number, added: WatchedSection): Recipient[] {
  return changed(recipients, id, ({ watched_sections: sections, watched_count: count }) =>
    sections.some((section) => section.id === added.id)
      ? { watched_sections: sections.map((section) => (section.id === added.id ? added : section)) }
      : { watched_sections: [added, ...sections], watched_count: count + 1 },
  )
}

export function withoutSection(recipients: readonly Recipient[], id: number, sectionId: number): Recipient[] {
  return changed(recipients, id, ({ watched_sections: sections, watched_count: count }) => {
    const kept = sections.filter((section) => section.id !== sectionId)
    return { watched_sections: kept, watched_count: count - (sections.length - kept.length) }
  })
}

export function withoutContact(recipients: readonly Recipient[], contactId: number): Recipient[] {
  return recipients.map((recipient) => ({
    ...recipient,
    phone_numbers: recipient.phone_numbers.filter(({ id }) => id !== contactId),
  }))
}

/** Replaces one recipient's sections with everything that is watched for them. */
export function withAllSections(
  recipients: readonly Recipient[],
  id: number,
  all: readonly WatchedSection[],
): Recipient[] {
  return changed(recipients, id, () => ({ watched_sections: [...all], watched_count: all.length }))
}

/**
 * The server's current data, reusing objects that did not change, so that only changes are drawn again.
 * @param whole recipients whose sections were all loaded: the page contains only the first of them, so the rest is kept
 */
export function refreshed(
  shown: readonly Recipient[],
  fresh: readonly Recipient[],
  whole: ReadonlySet<number>,
): Recipient[] {
  const known = new Map(shown.map((recipient) => [recipient.id, recipient]))
  return fresh.map((now) => {
    const before = known.get(now.id)
    const recipient = before && whole.has(now.id) ? withOtherSections(now, before) : now
    return before && JSON.stringify(before) === JSON.stringify(recipient) ? before : recipient
  })
}

/** Keeps sections that only the earlier state contains, up to the number still watched. */
function withOtherSections(now: Recipient, before: Recipient): Recipient {
  const first = new Set(now.watched_sections.map(({ id }) => id))
  const others = before.watched_sections.filter(({ id }) => !first.has(id))
  return { ...now, watched_sections: [...now.watched_sections, ...others].slice(0, now.watched_count) }
}

/** Rows of sections that a page draws at first, and the rows per recipient if there are more. */
export const MAX_ROWS = 60
const ROWS_FOLDED = 1

export function rowsShown(recipients: readonly Recipient[]): number {
  const rows = recipients.reduce((sum, { watched_sections: sections }) => sum + sections.length, 0)
  return rows > MAX_ROWS ? ROWS_FOLDED : MAX_ROWS
}

export function isUsable(contact: Contact, recipient: Pick<Recipient, 'is_contact_by_phone'>): boolean {
  return (
    contact.is_enabled &&
    !contact.opted_out &&
    contact.undeliverable === null &&
    (contact.kind !== 'phone' || recipient.is_contact_by_phone)
  )
}

/** Why no one would be messaged, or '' if someone would. */
export function unreachableText(recipient: Recipient): string {
  if (recipient.phone_numbers.some((contact) => isUsable(contact, recipient))) return ''
  if (recipient.phone_numbers.length === 0)
    return `${recipient.name} has no contact info, so no one will be notified when a seat opens.`
  return `${recipient.name} has no usable contact, so no one will be notified when a seat opens.`
}
