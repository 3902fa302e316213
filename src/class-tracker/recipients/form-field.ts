import type { Form, FormField } from '../../web/contract.ts'

/** What every kind of field is described by. `name` with its prefix, as it is sent. */
interface Said {
  name: string
  label: string
  value: string
  help_text?: string
  error?: string
}

type Attributes = Record<string, string | boolean>

function field(
  tag: FormField['tag'],
  said: Said,
  attrs: Attributes,
  subwidgets: FormField['widget']['subwidgets'] = [],
): FormField {
  const { name, label, value, help_text = '', error = '' } = said
  return { tag, name, label, value, help_text, error, widget: { attrs: { id: `id_${name}`, ...attrs }, subwidgets } }
}

export function textInput(said: Said, attrs: Attributes): FormField {
  return field('input', said, { type: 'text', ...attrs })
}

export function textArea(said: Said, attrs: Attributes): FormField {
  return field('textarea', said, attrs)
}

export function select(said: Said, choices: readonly { value: string; label: string }[]): FormField {
  return field(
    'select',
    said,
    {},
    choices.map((choice) => ({ ...choice, selected: choice.value === said.value })),
  )
}

/** `value` is 'on' or ''. Goes with {@link unticked}. */
export function checkbox(said: Omit<Said, 'value'>, isTicked: boolean): FormField {
  return field('input', { ...said, value: isTicked ? 'on' : '' }, { type: 'checkbox', checked: isTicked })
}

/** A browser sends nothing for a box without a tick: this hidden field beside it says that the box was there. */
export function unticked(name: string): FormField {
  return field('input', { name, label: '', value: 'off' }, { id: `id_${name}_unticked`, type: 'hidden' })
}

export function hidden(name: string, value: string): FormField {
  return field('input', { name, label: '', value }, { type: 'hidden' })
}

export function form(fields: FormField[], hiddenFields: FormField[], nonFieldErrors: string[] = []): Form {
  return { fields, hidden_fields: hiddenFields, non_field_errors: nonFieldErrors }
}
