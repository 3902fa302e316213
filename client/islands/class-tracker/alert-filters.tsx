import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { channelNames } from '../../components/channel-names.ts'
import { counted } from '../../components/count-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import { alertSearch, type AlertQuery, noQuery } from './use-alerts.ts'

/** In the order in which a recipient is reached. */
const channels = ['push', 'phone', 'email', 'discord'] as const

interface AlertFiltersProps {
  shown: ClassAlertsProps
  query: AlertQuery
  isSearching: boolean
  onFilter: (change: Partial<AlertQuery>) => void
}

export function AlertFilters({ shown, query, isSearching, onFilter }: AlertFiltersProps) {
  const recipients = shown.recipients.map(({ id, name }) => ({ value: String(id), label: name }))
  const kinds = channels.map((kind) => ({ value: kind, label: channelNames[kind] }))
  const any = { value: '', label: 'any' }
  return (
    <StaffSearchForm
      id="filter-text"
      placeholder="Course, recipient or instructor"
      query={query}
      filters={[
        { name: 'recipient_id', label: 'Recipient', options: [{ value: '', label: 'all' }, ...recipients] },
        { name: 'channel', label: 'Channel', options: [any, ...kinds] },
        { name: 'result', label: 'Result', options: [any, { value: 'failed', label: 'failed' }] },
      ]}
      onSearch={onFilter}
      isSearching={isSearching}
      found={shown.total ? counted(shown.total, 'alert') : null}
    />
  )
}

export function NoAlerts({ query, onFilter }: Pick<AlertFiltersProps, 'query' | 'onFilter'>) {
  return (
    <div className="card" role="status">
      {alertSearch(query) === '' ? (
        <EmptyState title="No class alerts found">
          <p>An alert appears here the moment a watched section opens.</p>
          <LinkButton href="/class_tracker/add_classes/" icon="plus">
            Add classes to watch
          </LinkButton>
        </EmptyState>
      ) : (
        <EmptyState title="No alerts match the current search filter">
          <LinkButton
            href="?"
            onClick={(event) => {
              event.preventDefault()
              onFilter(noQuery)
            }}
          >
            Show all alerts
          </LinkButton>
        </EmptyState>
      )}
    </div>
  )
}
