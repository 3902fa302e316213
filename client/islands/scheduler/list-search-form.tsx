import { FilterChip } from '../../components/filter-chip.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import { matchesText, taskTitle } from './texts.ts'
import type { useJobList } from './use-job-list.ts'

const everything = { value: '', label: 'all' }
const ages = [
  { value: '', label: 'any time' },
  { value: '15m', label: 'last 15 minutes' },
  { value: '1h', label: 'last hour' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
]
const states = [everything, ...['finished', 'stopped'].map((state) => ({ value: state, label: state }))]

/** Narrows the list. The search is entirely in the address, so it can be bookmarked and shared. */
export function ListSearchForm({ list }: { list: ReturnType<typeof useJobList> }) {
  const { search, shown, narrow } = list
  const tasks = [everything, ...shown.tasks.map((task) => ({ value: task, label: taskTitle(task) }))]
  return (
    <StaffSearchForm
      id="search-text"
      placeholder="Name, arguments or error"
      value={search.q}
      onValue={(q) => narrow({ q })}
      onSearch={() => narrow({})}
      isSearching={list.isSearching}
      found={matchesText(shown)}
    >
      <FilterChip
        id="search-task"
        name="task"
        label="Callable"
        value={search.task}
        options={tasks}
        onValue={(task) => narrow({ task })}
      />
      {shown.registry === 'finished' ? (
        <FilterChip
          id="search-status"
          name="status"
          label="Status"
          value={search.status}
          options={states}
          onValue={(status) => narrow({ status })}
        />
      ) : null}
      <FilterChip
        id="search-age"
        name="age"
        label="Created"
        value={search.age}
        options={ages}
        onValue={(age) => narrow({ age })}
      />
    </StaffSearchForm>
  )
}
