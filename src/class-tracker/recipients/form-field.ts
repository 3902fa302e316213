import type { Form, FormField } from '../../web/contract.ts'

/** What every kind of field has. `name` includes its prefix, as posted. */
interface FieldText {
  name: string
  label: string
  value: string
  help_text?: string
  error?: string
}

type Attributes = Record<string, string | boolean>

function field(
  tag: FormField['tag'],
  text: FieldText,
  attrs: Attributes,
  subwidgets: FormField['widget']['subwidgets'] = [],
): FormField {
  const { name, label, value, help_text = '', error = '' } = text
  return { tag, name, label, value, help_text, error, widget: { attrs: { id: `id_${name}`, ...attrs }, subwidgets } }
}

export function textInput(text: FieldText, attrs: Attributes): FormField {
  return field('input', text, { type: 'text', ...attrs })
}

export function textArea(text: FieldText, attrs: Attributes): FormField {
  return field('textarea', text, attrs)
}

export function select(
  text: FieldText,
  choices: readonly Omit<FormField['widget']['subwidgets'][number], 'selected'>[],
): FormField {
  return field(
    'select',
    text,
    {},
    choices.map((choice) => ({ ...choice, selected: choice.value === text.value })),
  )
}

/** Its `value` is 'on' or ''. Used with {@link uncheckedMarker}. */
export function checkbox(text: Omit<FieldText, 'value'>, isChecked: boolean): FormField {
  return field('input', { ...text, value: isChecked ? 'on' : '' }, { type: 'checkbox', checked: isChecked })
}

/** Browsers send nothing for an unchecked box, so this hidden field shows that the box was in the form. */
export function uncheckedMarker(name: string): FormField {
  return field('input', { name, label: '', value: 'off' }, { id: `id_${name}_uncheckedMarker`, type: 'hidden' })
}

export function hidden(name: string, value: string): FormField {
  return field('input', { name, label: '', value }, { type: 'hidden' })
}

export function form(fields: FormField[], hiddenFields: FormField[], nonFieldErrors: string[] = []): Form {
  return { fields, hidden_fields: hiddenFields, non_field_errors: nonFieldErrors }
}
