import { MAX_COUNTED, type Today } from '../alerts/opened-today.ts'

/** "1,000+" where counting stopped. */
export const countedText = (count: number): string =>
  count >= MAX_COUNTED ? `${MAX_COUNTED.toLocaleString('en-US')}+` : String(count)

/** Today's figures: watched sections, openings, failed messages, and sources that answer. */
export function TodayFigures({ today }: { today: Today }) {
  const late = today.sources - today.sources_on_time
  return (
    <dl className="card card-body figures figures-large">
      <div>
        <dt>Watched sections</dt>
        <dd>{countedText(today.watched_sections)}</dd>
      </div>
      <div>
        <dt>Opened today</dt>
        <dd>{countedText(today.openings)}</dd>
      </div>
      <div>
        <dt>Failed deliveries today</dt>
        <dd className={today.failed_deliveries > 0 ? 'figure-failed' : undefined}>
          {countedText(today.failed_deliveries)}
        </dd>
      </div>
      <div>
        <dt>Sources on time</dt>
        <dd className={late > 0 ? 'figure-failed' : undefined}>
          {today.sources_on_time} of {today.sources}
        </dd>
      </div>
    </dl>
  )
}
