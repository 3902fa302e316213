import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { SearchField } from './search-field.tsx'

/** A filter by its name in the address. The option '' means no filter. */
interface Filter {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
}

interface StaffSearchFormProps {
  id: string
  placeholder: string
  /** The text `q` and the filters by name; '' for none. */
  query: Readonly<Record<string, string>>
  filters: readonly Filter[]
  /** Searches with these changes; with none for the button, or Enter. */
  onSearch: (change: Record<string, string>) => void
  isSearching: boolean
  /** How much was found; null shows nothing. */
  found: ReactNode
}

/** A text and filters as chips. Everything is in the address, so that a search can be bookmarked and shared. */
export function StaffSearchForm(props: StaffSearchFormProps) {
  const { id, placeholder, query, filters, onSearch, isSearching, found } = props
  return (
    <form
      role="search"
      className="row staff-filters"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch({})
      }}
    >
      <label htmlFor={id} className="hidden-visually">
        Search
      </label>
      <SearchField
        id={id}
        name="q"
        placeholder={placeholder}
        value={query['q'] ?? ''}
        onValue={(q) => onSearch({ q })}
      />
      <div className="staff-chips">
        {filters.map((filter) => (
          <FilterChip
            key={filter.name}
            filter={filter}
            value={query[filter.name] ?? ''}
            onValue={(value) => onSearch({ [filter.name]: value })}
          />
        ))}
      </div>
      <Button type="submit" busy={isSearching}>
        Search
      </Button>
      {found === null ? null : <span className="small muted numbers push">{found}</span>}
    </form>
  )
}

interface FilterChipProps {
  filter: Filter
  value: string
  onValue: (value: string) => void
}

/** A filter as a chip, "Recipient: all", in the accent color once something is selected. */
function FilterChip({ filter: { name, label, options }, value, onValue }: FilterChipProps) {
  const id = `filter-${name}`
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
