import { Icon } from './icon.tsx'

interface FilterChipProps {
  id: string
  name: string
  label: string
  value: string
  /** The first option means no filter. */
  options: readonly { value: string; label: string }[]
  onValue: (value: string) => void
}

/** A filter of a search as a chip, "Recipient: all", in the accent color once something is selected. */
export function FilterChip({ id, name, label, value, options, onValue }: FilterChipProps) {
  return (
    <div className={value === '' ? 'filter-chip' : 'filter-chip filter-chip-on'}>
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onValue(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" size={12} />
    </div>
  )
}
