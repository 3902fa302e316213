import type { ReactNode } from 'react'
import { countText } from '../../../client/components/count-text.ts'
import { clockText } from '../../../client/components/time-text.ts'
import { counted } from '../../lib/text.ts'
import type { FailingSource } from '../alerts/attention.ts'
import { MAX_COUNTED, type Today } from '../alerts/opened-today.ts'
import type { Overview } from '../alerts/read-overview.ts'
import type { PausedQueue } from '../courses/contract.ts'

/** "1,000+" where counting stopped. */
export const countedText = (count: number): string =>
  count >= MAX_COUNTED ? `${countText(MAX_COUNTED)}+` : countText(count)

/** What is open now, in a sentence. */
function openText({ watched_sections: watched, open_sections: open }: Today): string {
  if (watched === 0) return 'Nothing is watched yet.'
  // Only the first thousand are counted.
  const atLeast = watched >= MAX_COUNTED && open > 0 ? 'At least ' : ''
  if (open === 0) return 'No watched section is open now.'
  return `${atLeast}${countedText(open)} watched ${open === 1 ? 'section is' : 'sections are'} open now.`
}

/** What is open now, and that nothing is wrong; problems are listed on the page itself. */
export function answerText({ today, problems }: Overview): string {
  const { messages, failed_deliveries: failed, sources, sources_on_time: onTime } = today
  const { paused_queues: paused = [], unread_sources: unread = [] } = problems
  const hasProblem = failed > 0 || sources === 0 || sources > onTime || paused.length + unread.length > 0
  if (hasProblem) return openText(today)
  return `${openText(today)} All sources are responding${messages > 0 ? ', and no messages failed today' : ''}.`
}

interface FigureProps {
  name: string
  value: ReactNode
  /** "of 35": what the figure is a part of. */
  whole?: number
  children: ReactNode
}

function Figure({ name, value, whole, children }: FigureProps) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd>
        {value}
        {whole !== undefined && <span className="row-about small muted">of {countedText(whole)}</span>}
      </dd>
      <dd className="muted">{children}</dd>
    </div>
  )
}

interface TodayFiguresProps {
  today: Today
  timeZone: string
  /** Sources that do not answer, the worst first. Default: none is named. */
  troubled?: readonly FailingSource[]
  paused: readonly PausedQueue[] | undefined
}

const marked = (isBad: boolean, what: ReactNode): ReactNode =>
  isBad ? <span className="figure-failed">{what}</span> : what

/** "Late: Harbor State University" */
function lateText(late: number, troubled: readonly FailingSource[]): string {
  if (late === 0) return 'all respond'
  const name = troubled[0]?.name
  if (name === undefined) return `${counted(late, 'source does', 'sources do')} not answer`
  return late === 1 ? `Late: ${name}` : `Late: ${name} and ${late - 1} more`
}

/** Today's figures: watched sections, openings, failed messages, and sources that answer. */
export function TodayFigures({ today, timeZone, troubled = [], paused = [] }: TodayFiguresProps) {
  const late = today.sources - today.sources_on_time
  const arePollsPaused = paused.some(({ queue }) => queue === 'polls')
  return (
    <dl className="figures-lined">
      <Figure name="Watched sections" value={countedText(today.watched_sections)}>
        for{' '}
        {today.recipients >= MAX_COUNTED
          ? `${countedText(today.recipients)} recipients`
          : counted(today.recipients, 'recipient')}
      </Figure>
      <Figure name="Opened today" value={countedText(today.openings)}>
        {today.last_opened_at === null ? 'none so far' : `last at ${clockText(today.last_opened_at, timeZone)}`}
      </Figure>
      <Figure
        name="Failed messages today"
        value={marked(today.failed_deliveries > 0, countedText(today.failed_deliveries))}
        whole={today.messages}
      >
        {today.failed_deliveries > 0 ? (
          <a href="/class_tracker/class_alerts/?result=failed">View failed messages</a>
        ) : today.messages === 0 ? (
          'no message was due'
        ) : (
          'none so far'
        )}
      </Figure>
      {arePollsPaused ? (
        <Figure name="Sources on time" value={marked(true, 'Paused')}>
          {marked(true, 'no seats are checked')}
        </Figure>
      ) : (
        <Figure name="Sources on time" value={countedText(today.sources_on_time)} whole={today.sources}>
          {marked(late > 0, lateText(late, troubled))}
        </Figure>
      )}
    </dl>
  )
}
