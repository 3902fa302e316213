import { contactPrefix } from './form-versions.ts'

export const MAX_NAME_LENGTH = 100
export const MAX_DESCRIPTION_LENGTH = 1000

/** What was typed into the recipient's form. Undefined: not posted, so it keeps its value, or the default. */
export interface PostedRecipient {
  name: string | undefined
  description: string | undefined
  is_contact_by_phone: boolean | undefined
}

/** What was typed into one contact's form; `kind` may be any text. */
export interface PostedContact {
  kind: string | undefined
  number: string | undefined
  is_enabled: boolean | undefined
}

export interface PostedForms {
  recipient: PostedRecipient
  /** By contact id; only contacts for which something was posted. */
  contacts: Map<number, PostedContact>
  /** Null when it was left empty. */
  new_contact: PostedContact | null
}

/** The three forms as posted, separated by their prefixes. Unknown fields are ignored. */
export function readPostedForms(posted: FormData): PostedForms {
  const contacts = new Map<number, PostedContact>()
  for (const name of posted.keys()) {
    const [, digits] = /^contact-([1-9]\d{0,14})-(?:kind|number|is_enabled)$/.exec(name) ?? []
    if (digits) contacts.set(Number(digits), readContact(posted, contactPrefix(digits)))
  }
  const added = readContact(posted, contactPrefix('new'))
  const isTouched = (added.number ?? '').trim() !== '' || (added.kind !== undefined && added.kind !== 'phone')
  return {
    recipient: {
      name: text(posted, 'recipient-name'),
      description: text(posted, 'recipient-description'),
      is_contact_by_phone: checkboxValue(posted, 'recipient-is_contact_by_phone'),
    },
    contacts,
    new_contact: isTouched ? added : null,
  }
}

function readContact(posted: FormData, prefix: string): PostedContact {
  return {
    kind: text(posted, `${prefix}kind`),
    number: text(posted, `${prefix}number`),
    is_enabled: checkboxValue(posted, `${prefix}is_enabled`),
  }
}

function text(posted: FormData, name: string): string | undefined {
  const value = posted.get(name)
  return typeof value === 'string' ? value : undefined
}

/** Whether the box was checked; false with only the hidden field beside it, undefined when the form had no such box. */
function checkboxValue(posted: FormData, name: string): boolean | undefined {
  const values = posted.getAll(name)
  if (values.length === 0) return undefined
  return values.some((value) => typeof value === 'string' && !/^(?:|off|false|0|no)$/i.test(value.trim()))
}
