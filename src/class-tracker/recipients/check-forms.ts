import { typedLine, typedLines } from '../../lib/text.ts'
import { TypedKind } from '../../lib/contract.ts'
import { addressKey, addressKinds } from '../../notify/addresses.ts'
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  type PostedContact,
  type PostedForms,
  type PostedRecipient,
} from './posted-form.ts'
import {
  type ContactErrors,
  type ContactValues,
  type FilledForms,
  newContact,
  newRecipient,
  type RecipientErrors,
  type RecipientValues,
} from './recipient-form.ts'
import { type ContactRow, type RecipientContacts, shownAddress } from './recipient-rows.ts'

/** The most contacts of one recipient, not counting devices. */
const MAX_CONTACTS = 10

const required = 'This field is required.'
/** In code points, so that an emoji usually counts once. */
const lengthOf = (text: string): number => Array.from(text).length
const atMost = (length: number) => `Ensure this value has at most ${length} characters.`

/** One contact after the form. `id` is null for the new one; `key` must be unique among contacts of its kind. */
export interface CheckedContact {
  id: number | null
  values: ContactValues
  errors: ContactErrors
  address: string
  key: string
  /** Whether something was posted for it. */
  is_posted: boolean
  /** Whether its kind or address was typed: not as it is stored, though perhaps the same in another spelling. */
  is_typed: boolean
  /** Whether the address changed, so that nothing known about the old one applies. */
  is_moved: boolean
}

export interface CheckedForms extends FilledForms {
  is_valid: boolean
  /** The recipient's contacts, posted or not, then the new one if there is one. */
  contacts: CheckedContact[]
}

/** Merges posted and stored values (`known`; null for a new recipient) and checks them. Errors are at their fields. */
export function checkForms(posted: PostedForms, known: RecipientContacts | null, discordApiUrl: string): CheckedForms {
  const { recipient, errors } = checkRecipient(posted.recipient, known?.recipient ?? newRecipient)
  const contacts = (known?.contacts ?? []).map((contact) =>
    checkContact(posted.contacts.get(contact.id) ?? null, contact, discordApiUrl),
  )
  const unknownIds = [...posted.contacts.keys()].filter((id) => !contacts.some((contact) => contact.id === id))
  if (unknownIds.length > 0) errors.form = unknownIds.map((id) => `Contact ${id} no longer belongs to this recipient.`)
  if (posted.new_contact) {
    const added = checkContact(posted.new_contact, null, discordApiUrl)
    if (contacts.filter(({ values }) => values.kind !== 'push').length >= MAX_CONTACTS)
      added.errors.form = [`A recipient has at most ${MAX_CONTACTS} contacts.`]
    contacts.push(added)
  }
  markDuplicates(contacts)
  const isValid =
    Object.keys(errors).length === 0 && contacts.every((contact) => Object.keys(contact.errors).length === 0)
  return { is_valid: isValid, recipient, recipient_errors: errors, contacts }
}

function checkRecipient(
  posted: PostedRecipient,
  known: RecipientValues,
): { recipient: RecipientValues; errors: RecipientErrors } {
  const recipient = {
    name: typedLine(posted.name ?? known.name),
    description: typedLines(posted.description ?? known.description),
    is_contact_by_phone: posted.is_contact_by_phone ?? known.is_contact_by_phone,
  }
  const errors: RecipientErrors = {}
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(recipient.name)) errors.name = required
  else if (lengthOf(recipient.name) > MAX_NAME_LENGTH) errors.name = atMost(MAX_NAME_LENGTH)
  if (lengthOf(recipient.description) > MAX_DESCRIPTION_LENGTH) errors.description = atMost(MAX_DESCRIPTION_LENGTH)
  return { recipient, errors }
}

function checkContact(posted: PostedContact | null, known: ContactRow | null, discordApiUrl: string): CheckedContact {
  const before = known ? { ...known, number: shownAddress(known) } : newContact
  const isDevice = before.kind === 'push'
  const values = {
    kind: isDevice ? before.kind : (posted?.kind ?? before.kind),
    number: isDevice ? before.number : (posted?.number ?? before.number),
    is_enabled: posted?.is_enabled ?? before.is_enabled,
  }
  const contact = {
    id: known?.id ?? null,
    values,
    errors: {},
    address: known?.address ?? values.number,
    key: known?.address_key ?? '',
    is_posted: posted !== null,
    is_typed: false,
    is_moved: false,
  }
  if (known && values.kind === known.kind && values.number.trim() === before.number) return contact
  const typed = { ...contact, is_typed: true }
  const kind = TypedKind.safeParse(values.kind)
  if (!kind.success) return { ...typed, errors: { kind: 'Select a valid choice.' } }
  const parsed = parseAddress(kind.data, values.number, discordApiUrl)
  if ('error' in parsed) return { ...typed, errors: { number: parsed.error } }
  return { ...typed, ...parsed, is_moved: known?.kind !== kind.data || known.address_key !== parsed.key }
}

/** An address as it is stored, and its {@link addressKey}, which only one contact of its kind may have. */
type ParsedAddress = { address: string; key: string } | { error: string }

/**
 * Normalizes a typed address of its kind: a phone number to E.164 (US by default), an email address with a lowercase
 * domain, or a Discord webhook.
 * @param discordApiUrl the `DISCORD_API_URL` setting: a webhook there is accepted too
 */
export function parseAddress(kind: TypedKind, typed: string, discordApiUrl: string): ParsedAddress {
  const text = typed.normalize('NFKC').trim()
  if (text === '') return { error: required }
  const { maxLength, parse } = addressKinds[kind]
  if (text.length > maxLength) return { error: atMost(maxLength) }
  const parsed = parse(text, discordApiUrl)
  return 'error' in parsed ? parsed : { address: parsed.address, key: addressKey(kind, parsed.address) }
}

/** Two contacts of one form with the same address: the later one gets the error. */
function markDuplicates(contacts: readonly CheckedContact[]): void {
  const seen = new Set<string>()
  for (const contact of contacts) {
    if (contact.errors.number || contact.errors.kind) continue
    const name = `${contact.values.kind} ${contact.key}`
    if (seen.has(name)) contact.errors.number = 'This recipient already has this contact.'
    seen.add(name)
  }
}
