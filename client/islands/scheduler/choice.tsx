import { Field } from '../../components/field.tsx'

interface ChoiceProps {
  name: string
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onValue: (value: string) => void
}

/** One of a few, as a field of a search. */
export function Choice({ name, label, value, options, onValue }: ChoiceProps) {
  const id = `search-${name}`
  return (
    <Field id={id} label={label}>
      <select id={id} className="input" name={name} value={value} onChange={(event) => onValue(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  )
}
