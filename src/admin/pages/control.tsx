import { localText } from '../../../client/components/time-text.ts'
import { Facts } from '../../../client/components/facts.tsx'
import { describedBy, Field, FieldNotes } from '../../../client/components/field.tsx'
import { lengthLimit } from '../row/field-values.ts'
import type { Control } from '../row/form-state.ts'
import { rowPath } from '../table-parts.ts'

/** The controls of an existing row: a choice beside some of them decides their label and type. */
export function shapedControls(controls: readonly Control[]): Control[] {
  return controls.map((control) => {
    const { shapes } = control.field
    const kind = controls.find(({ field }) => field.name === shapes?.by)?.shown
    const shape = kind === undefined ? undefined : shapes?.of[kind]
    if (!shape) return control
    const { label, help = '', inputMode } = shape
    return { ...control, field: { ...control.field, label, help }, ...(inputMode && { inputMode }) }
  })
}

interface ControlFieldProps {
  control: Control
  timeZone: string
  /** Default: false */
  autoFocus?: boolean
}

/** A field of a form: its control, or its value where it is only shown. */
export function ControlField({ control, timeZone, autoFocus = false }: ControlFieldProps) {
  const { field, name, error, shown } = control
  const zone = field.kind === 'moment' && !control.isReadOnly ? ` In the time zone ${timeZone}.` : ''
  const [firstLine = '', ...lines] = (field.help ?? '').split('\n')
  const help = `${firstLine}${zone}`.trim()
  if (control.isReadOnly) return <ReadOnly control={control} help={help} />
  if (field.kind === 'boolean') {
    return (
      <div className="field">
        <div className="check">
          <input type="hidden" name={name} value="0" />
          <input
            type="checkbox"
            id={name}
            name={name}
            value="1"
            defaultChecked={shown !== '' && shown !== '0'}
            autoFocus={autoFocus}
            aria-describedby={describedBy(name, help, error)}
            aria-invalid={error !== '' || undefined}
          />
          <label htmlFor={name}>{field.label}</label>
        </div>
        <FieldNotes id={name} help={help} error={error} />
      </div>
    )
  }
  const optional = (
    <>
      {field.label} <span className="muted optional">optional</span>
    </>
  )
  return (
    <Field id={name} label={field.isRequired ? field.label : optional} help={help} error={error}>
      <Input control={control} help={help} autoFocus={autoFocus} />
      <LongHelp lines={lines} />
    </Field>
  )
}

function ReadOnly({ control, help }: { control: Control; help: string }) {
  return (
    <div className="field">
      <span className="label">{control.field.label}</span>
      <p className="read-only break" id={control.name}>
        <ShownValue control={control} />
      </p>
      <FieldNotes id={control.name} help={help} error="" />
    </div>
  )
}

function LongHelp({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <details className="field-help">
      <summary>Help by system</summary>
      <ul className="stack stack-small">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
}

/** A read-only value, without the help, which says what to type. */
export function FactsOfRow({ controls }: { controls: readonly Control[] }) {
  if (controls.length === 0) return null
  return (
    <Facts
      className="facts-lined"
      facts={controls.map((control) => [
        control.field.label,
        <span key={control.name} id={control.name}>
          <ShownValue control={control} />
        </span>,
      ])}
    />
  )
}

function ShownValue({ control: { field, shown, options } }: { control: Control }) {
  const [option] = options
  const text = field.kind === 'choice' ? (field.choices.find(({ value }) => value === shown)?.label ?? shown) : shown
  const value =
    field.kind === 'boolean'
      ? shown === '' || shown === '0'
        ? 'No'
        : 'Yes'
      : field.kind === 'moment' && text !== ''
        ? localText(text)
        : (option?.label ?? text)
  if (value === '') return <span className="muted">–</span>
  if (field.kind !== 'reference' || !option) return <>{value}</>
  return <a href={rowPath({ name: field.to }, option.value)}>{value}</a>
}

function Input({ control, help, autoFocus }: { control: Control; help: string; autoFocus: boolean }) {
  const { field, name, shown, error } = control
  const shared = {
    id: name,
    name,
    className: 'input',
    'aria-invalid': error !== '' || undefined,
    'aria-describedby': describedBy(name, help, error),
    autoComplete: 'off',
    autoFocus,
    ...(field.shapes && {
      'data-shapes': JSON.stringify(field.shapes.of),
      'data-shaped-by': name.slice(0, name.length - field.name.length) + field.shapes.by,
    }),
  }
  switch (field.kind) {
    case 'long_text':
      return <textarea {...shared} defaultValue={shown} maxLength={lengthLimit(field)} rows={3} />
    case 'json':
      return (
        <textarea
          {...shared}
          className="input code"
          defaultValue={shown}
          maxLength={lengthLimit(field)}
          rows={3}
          spellCheck={false}
        />
      )
    case 'choice':
      return <Select control={control} shared={shared} options={field.choices} />
    case 'reference':
      return <ReferenceInput control={control} shared={shared} to={field.to} />
    case 'integer':
      return <input {...shared} inputMode="numeric" defaultValue={shown} />
    case 'moment':
      return <input {...shared} type="datetime-local" step={1} defaultValue={shown} />
    default:
      return <input {...shared} inputMode={control.inputMode} defaultValue={shown} maxLength={lengthLimit(field)} />
  }
}

interface SelectProps {
  control: Control
  shared: object
  options: readonly { value: string; label: string }[]
}

/** A stored value that is no longer among the options stays. */
function Select({ control: { field, shown }, shared, options }: SelectProps) {
  return (
    <select {...shared} defaultValue={shown}>
      {field.isRequired && shown !== '' ? null : <option value="">–</option>}
      {options.some(({ value }) => value === shown) || shown === '' ? null : <option value={shown}>{shown}</option>}
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

/** The chosen row and the search results are one short list; the search beside it needs no script. */
function ReferenceInput({ control, shared, to }: Omit<SelectProps, 'options'> & { to: string }) {
  const { field, name, options, searched } = control
  return (
    <div className="reference">
      <Select control={control} shared={shared} options={options} />
      <input
        className="input"
        name={`${name}-search`}
        defaultValue={searched}
        aria-label={`Search for ${field.label}`}
        placeholder="Search…"
        data-rows={to}
        data-chooses={name}
        maxLength={100}
        autoComplete="off"
      />
      <button type="submit" className="button" name="act" value="look_up" formNoValidate>
        Look up
      </button>
    </div>
  )
}
