import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { SearchField } from './search-field.tsx'

interface StaffSearchFormProps {
  id: string
  placeholder: string
  value: string
  onValue: (q: string) => void
  /** Runs the current search again: for the button, or Enter. */
  onSearch: () => void
  isSearching: boolean
  /** How much was found; null shows nothing. */
  found: ReactNode
  /** Filters, as chips after the text field. */
  children: ReactNode
}

export function StaffSearchForm(props: StaffSearchFormProps) {
  const { id, placeholder, value, onValue, onSearch, isSearching, found, children } = props
  return (
    <form
      role="search"
      className="row staff-filters"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch()
      }}
    >
      <label htmlFor={id} className="hidden-visually">
        Search
      </label>
      <SearchField id={id} name="q" placeholder={placeholder} value={value} onValue={onValue} />
      <div className="staff-chips">{children}</div>
      <Button type="submit" busy={isSearching}>
        Search
      </Button>
      {found === null ? null : <span className="small muted numbers push">{found}</span>}
    </form>
  )
}
