import type { ClassAlert } from '../../../src/class-tracker/alerts/contract.ts'
import { dayText } from '../../components/time-text.ts'
import { counted } from '../../components/count-text.ts'
import { AlertEntry } from './alert-entry.tsx'
import { alertGroups } from './alert-groups.ts'
import { hasFailed } from './delivery-line.tsx'

interface DayFiguresProps {
  alerts: readonly ClassAlert[]
  /** Whether the day continues on another page. */
  isCut: boolean
}

/** "9 sections · 23 alerts · 61 messages · 2 failed": the totals of a day. */
function DayFigures({ alerts, isCut }: DayFiguresProps) {
  const sections = new Set(alerts.map(({ course_section: section }) => section.id)).size
  const deliveries = alerts.flatMap((alert) => alert.deliveries)
  const failed = deliveries.filter(hasFailed).length
  const counts = [counted(sections, 'section'), counted(alerts.length, 'alert'), counted(deliveries.length, 'message')]
  return (
    <span className="tiny muted numbers">
      {counts.join(' · ')}
      {failed > 0 && (
        <>
          {' · '}
          <a className="figure-failed" href="?result=failed">
            {failed} failed
          </a>
        </>
      )}
      {isCut && ' on this page'}
    </span>
  )
}

interface AlertDayProps extends DayFiguresProps {
  /** Such as '2026-11-23'. */
  day: string
  /** Null before a script runs. */
  today: string | null
  timeZone: string
  /** Whether it is the first day of the page, which says what the times count from. */
  isFirst: boolean
  retrying: ReadonlySet<number>
  onRetry: (deliveryId: number) => void
}

export function AlertDay({ day, today, alerts, isCut, isFirst, timeZone, retrying, onRetry }: AlertDayProps) {
  return (
    <section aria-labelledby={`day-${day}`}>
      <div className="day-head">
        <h2 id={`day-${day}`}>{dayText(day, today)}</h2>
        <DayFigures alerts={alerts} isCut={isCut} />
        {isFirst && <span className="tiny muted push">Times are measured from when we saw the seat open</span>}
      </div>
      <ol>
        {alertGroups(alerts).map((group) => (
          <AlertEntry key={group[0].id} alerts={group} timeZone={timeZone} retrying={retrying} onRetry={onRetry} />
        ))}
      </ol>
    </section>
  )
}
