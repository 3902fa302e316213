import { useState } from 'react'
import type {
  ClassAlertsProps,
  Delivery,
  MessageFigures as Figures,
} from '../../../src/class-tracker/alerts/contract.ts'
import { counted } from '../../components/count-text.ts'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { NeedsScript } from '../../components/needs-script.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { dayKey, measureText } from '../../components/time-text.ts'
import { TrackerProblemNotices } from '../../components/tracker-problem-notices.tsx'
import { failed, Toasts, useToasts, type Toast } from '../../components/toasts.tsx'
import { useNow } from '../../components/use-now.ts'
import type { IslandProps } from '../index.ts'
import { AlertDay } from './alert-day.tsx'
import { alertDays } from './alert-groups.ts'
import { AlertFilters, NoAlerts } from './alert-filters.tsx'
import { alertSearch, useAlerts } from './use-alerts.ts'
import { calls } from '#in-browser/islands/class-tracker/calls.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'

/** What a message of a channel is called in a sentence. */
const messageNames: Readonly<Record<Delivery['channel'], string>> = {
  phone: 'text',
  email: 'email',
  discord: 'Discord message',
  push: 'notification',
}

/** A percentage of fewer messages would say nothing: below 20, the 95th percentile is the slowest. */
const MIN_FOR_PERCENT = 20

/**
 * "95% of texts were delivered within 2.3 s, 1 email was accepted within 1.2 s": for each channel, the last step that
 * enough messages have reached; while there are few, the last before a person has to act.
 */
function quickText(times: Figures['sent_times']): string {
  const parts = [...Map.groupBy(times, ({ channel }) => channel)].flatMap(([channel, steps]) => {
    const last =
      steps.findLast(({ measured }) => measured >= MIN_FOR_PERCENT) ??
      steps.findLast(({ step, measured }) => step !== 'seen' && measured > 0)
    if (last?.p95 === undefined || last.p95 === null) return []
    const { step, measured, p95 } = last
    const name = messageNames[channel]
    const share = measured < MIN_FOR_PERCENT ? counted(measured, name) : `95% of ${name}s`
    return [`${share} ${measured === 1 ? 'was' : 'were'} ${step} within ${measureText(p95)}`]
  })
  return parts.length === 0 ? 'Nothing measured in the last 24 hours.' : `In the last 24 hours, ${parts.join(', ')}.`
}

/** One line on how long messages took and what this month's cost, which opens to show everything. */
function MessageFigures({ figures, timeZone }: { figures: Figures; timeZone: string }) {
  const { sent_times: times, month, updated_at: at } = figures
  return (
    <details className="small">
      <summary>
        <span className="strong">From seat to message</span> <span className="muted">{quickText(times)}</span>
      </summary>
      <div className="stack stack-small">
        <SentTimesTable times={times} />
        <p className="muted small">
          {sentTimesNote} Updated <RelativeTime at={at} timeZone={timeZone} />.
        </p>
        <MonthCosts month={month} />
      </div>
    </details>
  )
}

/** Sends failed messages again. `retrying`: the ids of those being retried. */
function useRetry(say: (toast: Toast) => void, refresh: () => Promise<void>) {
  const [retrying, setRetrying] = useState<ReadonlySet<number>>(new Set())

  async function retry(deliveryId: number): Promise<void> {
    setRetrying((running) => new Set(running).add(deliveryId))
    try {
      const done = await calls.retryDelivery(deliveryId)
      say({ tone: done.is_success ? 'success' : 'warning', text: done.message })
      await refresh()
    } catch (error) {
      say(failed(error))
    } finally {
      setRetrying((running) => new Set([...running].filter((id) => id !== deliveryId)))
    }
  }

  return { retrying, retry }
}

export function Island({ props, context }: IslandProps<ClassAlertsProps>) {
  const timeZone = context.time_zone
  const { toasts, say, dismiss } = useToasts()
  const { shown, query, isSearching, errors, liveness, search, refresh } = useAlerts(props, say)
  const { retrying, retry } = useRetry(say, refresh)
  const now = useNow()
  const today = now === null ? null : dayKey(new Date(now).toISOString(), timeZone)
  const days = alertDays(shown.class_alerts, timeZone)

  function goTo(page: number): void {
    search({}, page)
    document.getElementById('main')?.focus()
    window.scrollTo({ top: 0 })
  }

  return (
    <div className="stack stack-large staff">
      <NeedsScript act="Sending a failed message again" />
      <PageHead title="Class Alerts" about="Every seat that opened and what was delivered">
        <LiveMark liveness={liveness} isPaused={(shown.paused_queues?.length ?? 0) > 0} path={context.path} />
      </PageHead>
      <TrackerProblemNotices paused={shown.paused_queues} unread={shown.unread_sources} context={context} />
      <AlertFilters shown={shown} query={query} isSearching={isSearching} onFilter={search} />
      <ErrorSummary errors={errors} />
      {shown.class_alerts.length === 0 && <NoAlerts query={query} onFilter={search} />}
      <div className="stack stack-large" aria-busy={isSearching || undefined}>
        {days.map(([day, alerts], place) => (
          <AlertDay
            key={day}
            day={day}
            today={today}
            alerts={alerts}
            isCut={
              (place === 0 && shown.pagination.has_previous) || (place === days.length - 1 && shown.pagination.has_next)
            }
            isFirst={place === 0}
            timeZone={timeZone}
            retrying={retrying}
            onRetry={(deliveryId) => void retry(deliveryId)}
          />
        ))}
      </div>
      <Pagination pagination={shown.pagination} hrefOf={(page) => alertSearch(query, page) || '?'} onPage={goTo} />
      {shown.message_figures && <MessageFigures figures={shown.message_figures} timeZone={timeZone} />}
      <Toasts toasts={toasts} onDismiss={dismiss} />
    </div>
  )
}
