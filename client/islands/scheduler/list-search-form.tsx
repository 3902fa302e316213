import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { SearchField } from '../../components/search-field.tsx'
import type { useJobList } from './use-job-list.ts'

interface ChoiceProps {
  name: string
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onValue: (value: string) => void
}

/** One of a few, as a field of a search. */
function Choice({ name, label, value, options, onValue }: ChoiceProps) {
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

const everything = { value: '', label: 'All' }
const ages = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
]
const states = [everything, ...['finished', 'stopped'].map((state) => ({ value: state, label: state }))]

/** Narrows the list. All of it is in the address, so it can be kept and shared. */
export function ListSearchForm({ list }: { list: ReturnType<typeof useJobList> }) {
  const { search, shown, narrow } = list
  const tasks = [everything, ...shown.tasks.map((task) => ({ value: task, label: task }))]
  return (
    <form
      role="search"
      className="filters job-filters"
      onSubmit={(event) => {
        event.preventDefault()
        narrow({})
      }}
    >
      <Field id="search-text" label="Search">
        <SearchField
          id="search-text"
          name="q"
          placeholder="Name, arguments or error"
          value={search.q}
          onValue={(q) => narrow({ q })}
        />
      </Field>
      <Choice name="task" label="Callable" value={search.task} options={tasks} onValue={(task) => narrow({ task })} />
      {shown.registry === 'finished' ? (
        <Choice
          name="status"
          label="Status"
          value={search.status}
          options={states}
          onValue={(status) => narrow({ status })}
        />
      ) : null}
      <Choice name="age" label="Created" value={search.age} options={ages} onValue={(age) => narrow({ age })} />
      <Button type="submit" busy={list.isSearching}>
        Search
      </Button>
    </form>
  )
}
