import { ContactKind, TypedKind } from '../../lib/contract.ts'
import { parseOr } from '../../lib/fallbacks.ts'
import { addressKinds } from '../../notify/addresses.ts'
import type { Form, FormField } from '../../web/contract.ts'
import type { GetRecipientForm } from './contract.ts'
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from './posted-form.ts'
import { contactPrefix, type FormVersions, recipientPrefix } from './form-versions.ts'

/** The recipient's own fields and their errors ('' or absent: none). */
export interface RecipientValues {
  name: string
  description: string
  is_contact_by_phone: boolean
}
export interface RecipientErrors {
  name?: string
  description?: string
  form?: string[]
}

export interface ContactValues {
  kind: string
  number: string
  is_enabled: boolean
}
export interface ContactErrors {
  kind?: string
  number?: string
  form?: string[]
}

export const newRecipient: RecipientValues = { name: '', description: '', is_contact_by_phone: true }
export const newContact: ContactValues = { kind: 'phone', number: '', is_enabled: true }

/** The form of a device, whose address is not typed: it can be turned off and removed. */
const deviceKinds = [{ value: 'push', label: addressKinds.push.contact }]

/** The kinds to choose from, each with the address field's form while it is chosen. */
function kindsWith(addressName: string) {
  return TypedKind.options.map((kind) => {
    const { contact, field } = addressKinds[kind]
    const { label, help, keyboard } = field
    return { value: kind, label: contact, shape: { name: addressName, label, help_text: help, inputmode: keyboard } }
  })
}

/** An unknown kind is shown as a phone. */
const kindIn = parseOr(ContactKind, 'phone')

/** What is filled into the forms of a recipient, and what is wrong with it. The contact without an id is new. */
export interface FilledForms {
  recipient: RecipientValues
  recipient_errors: RecipientErrors
  contacts: readonly { id: number | null; values: ContactValues; errors: ContactErrors }[]
}

/** @param versions of what is stored; none for a new recipient */
export function recipientForms(
  { recipient, recipient_errors, contacts }: FilledForms,
  csrfToken: string,
  versions: FormVersions = new Map(),
): GetRecipientForm {
  const added = contacts.find(({ id }) => id === null)
  const versioned = <One extends Form>(form: One, prefix: string): One => ({
    ...form,
    hidden_fields: [...form.hidden_fields, ...versionField(prefix, versions)],
  })
  return {
    recipient_form: versioned(recipientForm(recipient, recipient_errors, csrfToken), recipientPrefix),
    contact_info_forms: contacts.flatMap(({ id, values, errors }) =>
      id === null ? [] : [versioned({ contact_id: id, ...contactForm(String(id), values, errors) }, contactPrefix(id))],
    ),
    new_contact_info_form: contactForm('new', added?.values ?? newContact, added?.errors ?? {}),
  }
}

function versionField(prefix: string, versions: FormVersions): FormField[] {
  const version = versions.get(prefix)
  return version === undefined
    ? []
    : [field('input', { name: `${prefix}was`, label: '', value: version }, { type: 'hidden' })]
}

function recipientForm(values: RecipientValues, errors: RecipientErrors, csrfToken: string): Form {
  return {
    fields: [
      field(
        'input',
        { name: 'recipient-name', label: 'Name', value: values.name, error: errors.name },
        { type: 'text', maxlength: String(MAX_NAME_LENGTH), required: true, autocomplete: 'off' },
      ),
      field(
        'textarea',
        { name: 'recipient-description', label: 'Description', value: values.description, error: errors.description },
        { maxlength: String(MAX_DESCRIPTION_LENGTH), rows: '2' },
      ),
      checkbox(
        {
          name: 'recipient-is_contact_by_phone',
          label: 'Allow Contact by Phone',
          help_text: 'Off: no texts. Email and Discord still work.',
        },
        values.is_contact_by_phone,
      ),
    ],
    hidden_fields: [
      field('input', { name: 'csrf_token', label: '', value: csrfToken }, { type: 'hidden' }),
      uncheckedMarker('recipient-is_contact_by_phone'),
    ],
    non_field_errors: errors.form ?? [],
  }
}

/** @param id the contact's id, or 'new' */
function contactForm(id: string, values: ContactValues, errors: ContactErrors): Form {
  const prefix = contactPrefix(id)
  const isDevice = values.kind === 'push'
  const { label, help, keyboard } = addressKinds[kindIn(values.kind)].field
  const kinds = isDevice ? deviceKinds : kindsWith(`${prefix}number`)
  return {
    fields: [
      field(
        'select',
        { name: `${prefix}kind`, label: 'Kind', value: values.kind, error: errors.kind },
        {},
        kinds.map((choice) => ({ ...choice, selected: choice.value === values.kind })),
      ),
      field(
        'input',
        { name: `${prefix}number`, label, value: values.number, help_text: help, error: errors.number },
        {
          type: 'text',
          maxlength: '400',
          autocomplete: 'off',
          inputmode: keyboard,
          ...(isDevice && { readonly: true }),
        },
      ),
      checkbox({ name: `${prefix}is_enabled`, label: 'Enabled' }, values.is_enabled),
    ],
    hidden_fields: [uncheckedMarker(`${prefix}is_enabled`)],
    non_field_errors: errors.form ?? [],
  }
}

/** What every kind of field has. `name` includes its prefix, as posted. */
interface FieldText {
  name: string
  label: string
  value: string
  help_text?: string
  error?: string | undefined
}

function field(
  tag: FormField['tag'],
  text: FieldText,
  attrs: Record<string, string | boolean>,
  subwidgets: FormField['widget']['subwidgets'] = [],
): FormField {
  const { name, label, value, help_text = '', error = '' } = text
  return { tag, name, label, value, help_text, error, widget: { attrs: { id: `id_${name}`, ...attrs }, subwidgets } }
}

/** Its `value` is 'on' or ''. Used with {@link uncheckedMarker}. */
function checkbox(text: Omit<FieldText, 'value'>, isChecked: boolean): FormField {
  return field('input', { ...text, value: isChecked ? 'on' : '' }, { type: 'checkbox', checked: isChecked })
}

/** Browsers send nothing for an unchecked box, so this hidden field shows that the box was in the form. */
function uncheckedMarker(name: string): FormField {
  return field('input', { name, label: '', value: 'off' }, { id: `id_${name}_uncheckedMarker`, type: 'hidden' })
}
