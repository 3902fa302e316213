import type { MessageFigures as Figures } from '../../../src/class-tracker/alerts/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'
import { measureText } from '../../components/time-text.ts'

/** What messages of a channel are called in a sentence. */
const plurals: Readonly<Record<string, string>> = {
  phone: 'texts',
  email: 'emails',
  discord: 'Discord messages',
  push: 'notifications',
}

/**
 * "95% of texts were delivered within 2.3 s, …": for each channel, the last step it can report. '' if there are no
 * messages.
 */
function quickText(times: Figures['sent_times']): string {
  const parts = [...Map.groupBy(times, ({ channel }) => channel)].flatMap(([channel, steps]) => {
    const last = steps.flatMap(({ step, p95 }) => (p95 === null ? [] : [{ step, p95 }])).at(-1)
    return last ? [`${plurals[channel] ?? channel} were ${last.step} within ${measureText(last.p95)}`] : []
  })
  return parts.length === 0 ? '' : `In the last 24 hours, 95% of ${parts.join(', 95% of ')}.`
}

/**
 * How long messages took, by channel, and what this month's messages cost: one line, which opens to show everything.
 */
export function MessageFigures({ figures, timeZone }: { figures: Figures; timeZone: string }) {
  const { sent_times: times, month, updated_at: at } = figures
  const quick = quickText(times)
  return (
    <details className="message-figures small">
      <summary>
        <span className="strong">From seat to message</span>{' '}
        <span className="muted">{quick === '' ? 'No message in 24 hours.' : quick}</span>
      </summary>
      <div className="stack stack-small">
        {times.length > 0 && <SentTimesTable times={times} />}
        <p className="muted small">
          {sentTimesNote} Updated <RelativeTime at={at} timeZone={timeZone} />.
        </p>
        <MonthCosts month={month} />
      </div>
    </details>
  )
}
