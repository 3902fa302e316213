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

export function ListSearchForm({ list }: { list: ReturnType<typeof useJobList> }) {
  const { search, shown, narrow } = list
  const tasks = [everything, ...shown.tasks.map((task) => ({ value: task, label: taskTitle(task) }))]
  return (
    <StaffSearchForm
      id="search-text"
      placeholder="Name, arguments or error"
      query={{ ...search }}
      filters={[
        { name: 'task', label: 'Callable', options: tasks },
        ...(shown.registry === 'finished' ? [{ name: 'status', label: 'Status', options: states }] : []),
        { name: 'age', label: 'Created', options: ages },
      ]}
      onSearch={narrow}
      isSearching={list.isSearching}
      found={matchesText(shown)}
    />
  )
}
