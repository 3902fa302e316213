import { useCallback, useMemo, useState } from 'react'
import type { ClassAlert, ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import type { Message } from '../../../src/web/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { channelNames } from '../../components/channel-names.ts'
import { countText } from '../../components/count-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { FilterChip } from '../../components/filter-chip.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { toneOf } from '../../components/messages-banner.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { StaffSearchForm } from '../../components/staff-search-form.tsx'
import { dayKey, dayText } from '../../components/time-text.ts'
import { TrackerProblemNotices } from '../../components/tracker-problem-notices.tsx'
import { Toasts, useToasts } from '../../components/toasts.tsx'
import { useNow } from '../../components/use-now.ts'
import { messagesOf } from '../../errors.ts'
import type { IslandProps } from '../index.ts'
import { alertDays } from './alert-days.ts'
import { AlertEntry } from './alert-entry.tsx'
import { alertSearch } from './alert-query.ts'
import { classTrackerCalls } from './calls.ts'
import { counted } from './section-text.ts'
import { MessageFigures } from './message-figures.tsx'
import { useAlerts } from './use-alerts.ts'

/** In the order in which a recipient is reached. */
const channels = ['push', 'phone', 'email', 'discord'] as const

interface DayFiguresProps {
  alerts: readonly ClassAlert[]
  /** The day goes on on another page. */
  isCut: boolean
}

/** "9 sections · 23 alerts · 61 messages · 2 failed": what one day brought. */
function DayFigures({ alerts, isCut }: DayFiguresProps) {
  const sections = new Set(alerts.map(({ course_section: section }) => section.id)).size
  const deliveries = alerts.flatMap((alert) => alert.deliveries)
  const failed = deliveries.filter(({ state }) => state === 'failed' || state === 'expired').length
  const counts = [counted(sections, 'section'), counted(alerts.length, 'alert'), counted(deliveries.length, 'message')]
  return (
    <span className="tiny muted numbers">
      {counts.join(' · ')}
      {failed > 0 && (
        <>
          {' · '}
          <span className="source-error">{failed} failed</span>
        </>
      )}
      {isCut && ' on this page'}
    </span>
  )
}

export function Island({ props, context }: IslandProps<ClassAlertsProps>) {
  const timeZone = context.time_zone
  const { toasts, say, dismiss } = useToasts()
  const showToasts = useCallback(
    (messages: readonly Message[]) =>
      messages.forEach(({ level_tag: level, message }) => say({ tone: toneOf(level), text: message })),
    [say],
  )
  const { shown, query, isSearching, errors, liveness, filter, refresh } = useAlerts(props, context, showToasts)
  const calls = useMemo(() => classTrackerCalls(context.csrf_token), [context.csrf_token])
  const [retrying, setRetrying] = useState<ReadonlySet<number>>(new Set())
  const now = useNow()
  const today = now === null ? null : dayKey(new Date(now).toISOString(), timeZone)
  const isFiltered = query.q.trim() !== '' || query.recipientId !== null || query.isFailedOnly || query.channel !== null
  const days = alertDays(shown.class_alerts, timeZone)

  async function retry(deliveryId: number): Promise<void> {
    setRetrying((running) => new Set(running).add(deliveryId))
    try {
      const done = await calls.retryDelivery(deliveryId)
      say({ tone: done.is_success ? 'success' : 'warning', text: done.message })
      await refresh()
    } catch (error) {
      say({ tone: 'danger', text: messagesOf(error).join(' ') })
    } finally {
      setRetrying((running) => new Set([...running].filter((id) => id !== deliveryId)))
    }
  }

  function goTo(page: number): void {
    filter({ page })
    document.getElementById('main')?.focus()
    window.scrollTo({ top: 0 })
  }

  return (
    <div className="stack stack-large staff">
      <NeedsScript act="Sending a failed message again" />
      <div className="page-head">
        <div>
          <h1>Class Alerts</h1>
          <p>Every seat that opened and what was delivered</p>
        </div>
        <LiveMark
          liveness={(shown.paused_queues?.length ?? 0) > 0 && liveness === 'live' ? 'paused' : liveness}
          logIn="/class_tracker/login_view/?next=/class_tracker/class_alerts/"
        />
      </div>
      <TrackerProblemNotices paused={shown.paused_queues} unread={shown.unread_sources} context={context} />
      {shown.message_figures && <MessageFigures figures={shown.message_figures} timeZone={timeZone} />}
      <StaffSearchForm
        id="filter-text"
        placeholder="Course, recipient or instructor"
        value={query.q}
        onValue={(q) => filter({ q })}
        onSearch={() => filter({})}
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
          onValue={(id) => filter({ recipientId: id === '' ? null : Number(id) })}
        />
        <FilterChip
          id="filter-channel"
          name="channel"
          label="Channel"
          value={query.channel ?? ''}
          options={[
            { value: '', label: 'any' },
            ...channels.map((kind) => ({ value: kind, label: channelNames[kind] })),
          ]}
          onValue={(kind) => filter({ channel: channels.find((one) => one === kind) ?? null })}
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
          onValue={(result) => filter({ isFailedOnly: result === 'failed' })}
        />
      </StaffSearchForm>
      <ErrorSummary heading="Error:" errors={errors.map((message) => ({ message }))} />
      {shown.class_alerts.length === 0 && (
        <div className="card" role="status">
          {isFiltered ? (
            <EmptyState title="No alerts match the current search filter">
              <LinkButton
                href="?"
                onClick={(event) => {
                  event.preventDefault()
                  filter({ q: '', recipientId: null, isFailedOnly: false, channel: null })
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
      )}
      <div className="stack stack-large" aria-busy={isSearching || undefined}>
        {days.map(({ key, alerts }, place) => (
          <section key={key} className="stack stack-small" aria-labelledby={`day-${key}`}>
            <div className="day-head">
              <h2 id={`day-${key}`}>{dayText(key, today)}</h2>
              <DayFigures
                alerts={alerts}
                isCut={
                  (place === 0 && shown.pagination.has_previous) ||
                  (place === days.length - 1 && shown.pagination.has_next)
                }
              />
            </div>
            <ol>
              {alerts.map((alert) => (
                <AlertEntry
                  key={alert.id}
                  alert={alert}
                  timeZone={timeZone}
                  retrying={retrying}
                  onRetry={(deliveryId) => void retry(deliveryId)}
                />
              ))}
            </ol>
          </section>
        ))}
      </div>
      <Pagination
        pagination={shown.pagination}
        hrefOf={(page) => alertSearch({ ...query, page }) || '?'}
        onPage={goTo}
      />
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
