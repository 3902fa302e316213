import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { channelNames } from '../../components/channel-names.ts'
import { countText } from '../../components/count-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChip } from '../../components/filter-chip.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import type { AlertQuery } from './use-alerts.ts'

/** In the order in which a recipient is reached. */
const channels = ['push', 'phone', 'email', 'discord'] as const

interface AlertFiltersProps {
  shown: ClassAlertsProps
  query: AlertQuery
  isSearching: boolean
  onFilter: (change: Partial<AlertQuery>) => void
}

export function AlertFilters({ shown, query, isSearching, onFilter }: AlertFiltersProps) {
  return (
    <StaffSearchForm
      id="filter-text"
      placeholder="Course, recipient or instructor"
      value={query.q}
      onValue={(q) => onFilter({ q })}
      onSearch={() => onFilter({})}
      isSearching={isSearching}
      found={
        shown.total !== undefined && shown.total > 0
          ? `${countText(shown.total)} ${shown.total === 1 ? 'alert' : 'alerts'}`
          : null
      }
    >
      <FilterChip
        id="filter-recipient"
        name="recipient_id"
        label="Recipient"
        value={String(query.recipientId ?? '')}
        options={[
          { value: '', label: 'all' },
          ...shown.recipients.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onValue={(id) => onFilter({ recipientId: id === '' ? null : Number(id) })}
      />
      <FilterChip
        id="filter-channel"
        name="channel"
        label="Channel"
        value={query.channel ?? ''}
        options={[{ value: '', label: 'any' }, ...channels.map((kind) => ({ value: kind, label: channelNames[kind] }))]}
        onValue={(kind) => onFilter({ channel: channels.find((one) => one === kind) ?? null })}
      />
      <FilterChip
        id="filter-result"
        name="result"
        label="Result"
        value={query.isFailedOnly ? 'failed' : ''}
        options={[
          { value: '', label: 'any' },
          { value: 'failed', label: 'failed' },
        ]}
        onValue={(result) => onFilter({ isFailedOnly: result === 'failed' })}
      />
    </StaffSearchForm>
  )
}

export function NoAlerts({ query, onFilter }: Pick<AlertFiltersProps, 'query' | 'onFilter'>) {
  const isFiltered = query.q.trim() !== '' || query.recipientId !== null || query.isFailedOnly || query.channel !== null
  return (
    <div className="card" role="status">
      {isFiltered ? (
        <EmptyState title="No alerts match the current search filter">
          <LinkButton
            href="?"
            onClick={(event) => {
              event.preventDefault()
              onFilter({ q: '', recipientId: null, isFailedOnly: false, channel: null })
            }}
          >
            Show all alerts
          </LinkButton>
        </EmptyState>
      ) : (
        <EmptyState title="No class alerts found">
          <p>An alert appears here the moment a watched section opens.</p>
          <LinkButton href="/class_tracker/add_classes/" icon="plus">
            Add classes to watch
          </LinkButton>
        </EmptyState>
      )}
    </div>
  )
}
