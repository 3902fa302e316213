import { useCallback, useMemo, useState } from 'react'
import type { ClassAlert, ClassAlertsProps } from '../../../src/class-tracker/contract.ts'
import type { Message } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { toneOf } from '../../components/messages-banner.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { SearchField } from '../../components/search-field.tsx'
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
import { MessageFigures } from './message-figures.tsx'
import { useAlerts } from './use-alerts.ts'

/** How many messages of these alerts failed; nothing where none did. */
function Failed({ alerts }: { alerts: readonly ClassAlert[] }) {
  const failed = alerts.flatMap(({ deliveries }) => deliveries.filter(({ state }) => state === 'failed')).length
  return failed === 0 ? null : <span className="tiny source-error">{failed} failed</span>
}

export function Island({ props, context }: IslandProps<ClassAlertsProps>) {
  const timeZone = context.time_zone
  const { toasts, say, dismiss } = useToasts()
  const sayAll = useCallback(
    (messages: readonly Message[]) =>
      messages.forEach(({ level_tag: level, message }) => say({ tone: toneOf(level), text: message })),
    [say],
  )
  const { shown, query, isSearching, errors, liveness, filter, refresh } = useAlerts(props, context, sayAll)
  const calls = useMemo(() => classTrackerCalls(context.csrf_token), [context.csrf_token])
  const [retrying, setRetrying] = useState<ReadonlySet<number>>(new Set())
  const now = useNow()
  const today = now === null ? null : dayKey(new Date(now).toISOString(), timeZone)
  const isFiltered = query.q.trim() !== '' || query.recipientId !== null

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
    <div className="stack stack-large">
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
      <form
        role="search"
        className="filters alert-filters"
        onSubmit={(event) => {
          event.preventDefault()
          filter({})
        }}
      >
        <Field id="filter-recipient" label="Recipient">
          <select
            id="filter-recipient"
            name="recipient_id"
            className="input"
            value={query.recipientId ?? ''}
            onChange={(event) => filter({ recipientId: event.target.value === '' ? null : Number(event.target.value) })}
          >
            <option value="">All recipients</option>
            {shown.recipients.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field id="filter-text" label="Search">
          <SearchField
            id="filter-text"
            name="q"
            placeholder="Course, class number, recipient, instructor or school"
            value={query.q}
            onValue={(q) => filter({ q })}
          />
        </Field>
        <Button type="submit" busy={isSearching}>
          Search
        </Button>
      </form>
      <ErrorSummary heading="Error:" errors={errors.map((message) => ({ message }))} />
      {shown.class_alerts.length === 0 && (
        <div className="card" role="status">
          {isFiltered ? (
            <EmptyState title="No alerts match the current search filter">
              <LinkButton
                href="?"
                onClick={(event) => {
                  event.preventDefault()
                  filter({ q: '', recipientId: null })
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
        {alertDays(shown.class_alerts, timeZone).map(({ key, alerts }) => (
          <section key={key} className="stack stack-small" aria-labelledby={`day-${key}`}>
            <div className="day-head">
              <h2 id={`day-${key}`}>{dayText(key, today)}</h2>
              <Failed alerts={alerts} />
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
