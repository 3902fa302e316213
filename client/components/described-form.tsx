import type { Form, FormField } from '../../src/web/contract.ts'
import type { SummaryError } from './error-summary.tsx'
import { Field, FieldNotes, describedBy } from './field.tsx'

/** The attributes that the server gives controls, under React's names for them. All others are ignored. */
const attributeNames: Record<string, string> = {
  type: 'type',
  required: 'required',
  maxlength: 'maxLength',
  rows: 'rows',
  readonly: 'readOnly',
  autocomplete: 'autoComplete',
  inputmode: 'inputMode',
}

function attributesOf(field: FormField): Record<string, string | boolean> {
  const named = Object.entries(field.widget.attrs).flatMap(([name, value]) => {
    const known = attributeNames[name.toLowerCase()]
    return known === undefined || value === false ? [] : [[known, value] as const]
  })
  return Object.fromEntries(named)
}

/** The control's id: the server gives the same one. */
const idOf = ({ name }: FormField): string => `id_${name}`

function Control({ field }: { field: FormField }) {
  const id = idOf(field)
  const shared = {
    id,
    name: field.name,
    'aria-invalid': field.error !== '' || undefined,
    'aria-describedby': describedBy(id, field.help_text, field.error),
    ...attributesOf(field),
  }
  if (field.tag === 'textarea') return <textarea className="input" defaultValue={field.value} {...shared} />
  if (field.tag === 'select') {
    return (
      <select
        className="input"
        defaultValue={field.widget.subwidgets.find(({ selected }) => selected)?.value ?? field.value}
        {...shared}
      >
        {field.widget.subwidgets.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  if (field.widget.attrs['type'] === 'checkbox')
    return <input defaultChecked={field.value !== ''} value="on" {...shared} />
  return <input className="input" defaultValue={field.value} {...shared} />
}

function DescribedField({ field }: { field: FormField }) {
  const id = idOf(field)
  if (field.widget.attrs['type'] !== 'checkbox') {
    return (
      <Field id={id} label={field.label} help={field.help_text} error={field.error}>
        <Control field={field} />
      </Field>
    )
  }
  return (
    <div className="field">
      <div className="check">
        <Control field={field} />
        <label htmlFor={id}>{field.label}</label>
      </div>
      <FieldNotes id={id} help={field.help_text} error={field.error} />
    </div>
  )
}

/** The fields of a form that the server describes. A new description changes errors and help, never what was typed. */
export function DescribedFields({ form }: { form: Form }) {
  return (
    <>
      {form.hidden_fields.map((field) => (
        <input key={field.name} type="hidden" name={field.name} value={field.value} />
      ))}
      {form.fields.map((field) => (
        <DescribedField key={field.name} field={field} />
      ))}
    </>
  )
}

/** Every error of the forms, each with the field it is about. */
export function errorsOf(forms: readonly Form[]): SummaryError[] {
  return forms.flatMap((form) => [
    ...form.non_field_errors.map((message) => ({ message })),
    ...form.fields
      .filter(({ error }) => error !== '')
      .map((field) => ({ message: `${field.label}: ${field.error}`, fieldId: idOf(field) })),
    ...form.hidden_fields.filter(({ error }) => error !== '').map(({ error }) => ({ message: error })),
  ])
}
