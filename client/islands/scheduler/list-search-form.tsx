import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'

const ages = [
  { value: '', label: 'Any time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
]

/** Narrows the list. All of it is in the address, so it can be kept and shared. */
export function ListSearchForm({ props }: { props: JobListProps }) {
  const { search, tasks, registry } = props
  return (
    <form role="search" className="filters">
      <Field id="search-text" label="Search">
        <input
          id="search-text"
          className="input"
          type="search"
          name="q"
          defaultValue={search.q}
          placeholder="Name, arguments or error"
        />
      </Field>
      <Field id="search-task" label="Callable">
        <select id="search-task" className="input" name="task" defaultValue={search.task}>
          <option value="">All</option>
          {tasks.map((task) => (
            <option key={task}>{task}</option>
          ))}
        </select>
      </Field>
      {registry === 'finished' ? (
        <Field id="search-status" label="Status">
          <select id="search-status" className="input" name="status" defaultValue={search.status}>
            <option value="">All</option>
            <option>finished</option>
            <option>stopped</option>
          </select>
        </Field>
      ) : null}
      <Field id="search-age" label="Created">
        <select id="search-age" className="input" name="age" defaultValue={search.age}>
          {ages.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <Button type="submit">Search</Button>
    </form>
  )
}
