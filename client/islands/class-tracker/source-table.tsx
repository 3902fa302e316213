import type { ReactNode } from 'react'
import type { SourceHealth } from '../../../src/class-tracker/courses/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { counted, countText } from '../../components/count-text.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Icon } from '../../components/icon.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { durationText } from '../../components/time-text.ts'
import { useNow } from '../../components/use-now.ts'

type Health = SourceHealth['health']

const healthLabels: Record<Health, { word: string; tone: BadgeTone }> = {
  never: { word: 'Not read yet', tone: 'neutral' },
  healthy: { word: 'Healthy', tone: 'done' },
  partial: { word: 'Partly checked', tone: 'waitlisted' },
  failing: { word: 'Failing', tone: 'danger' },
  paused: { word: 'Paused', tone: 'waitlisted' },
  disabled: { word: 'Off', tone: 'neutral' },
}

/** A source that is not asked because it failed is failing; one that only asked us to wait is paused. */
const healthOf = ({ health, failures }: SourceHealth): Health =>
  health === 'paused' && failures > 0 ? 'failing' : health

const order: readonly Health[] = ['failing', 'paused', 'partial', 'never', 'healthy', 'disabled']

const byTrouble = (sources: readonly SourceHealth[]): SourceHealth[] =>
  sources.toSorted((one, other) => order.indexOf(healthOf(one)) - order.indexOf(healthOf(other)))

const namesText = (names: readonly string[]): string =>
  names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(' and ')

/** "9 of 10 sources are healthy. Failing: Harbor State University." */
export function sourcesText(sources: readonly SourceHealth[]): string {
  const on = sources.filter(({ health }) => health !== 'disabled')
  if (on.length === 0) return ''
  const healthy = on.filter(({ health }) => health === 'healthy').length
  if (healthy === on.length) return on.length === 1 ? 'The source is healthy.' : `All ${on.length} sources are healthy.`
  const troubles = order.slice(0, 4).flatMap((health) => {
    const names = on.filter((source) => healthOf(source) === health).map(({ name }) => name)
    return names.length === 0 ? [] : [` ${healthLabels[health].word}: ${namesText(names)}.`]
  })
  return `${healthy} of ${on.length} sources are healthy.${troubles.join('')}`
}

/** A round takes longer than its goal only where the source's request limit does not allow more. */
function Interval({ source: { effective_interval: interval, poll_seconds: seconds } }: { source: SourceHealth }) {
  if (interval === null) return null
  const text = `every ${durationText(Math.max(interval, seconds) * 1000)}`
  if (interval <= seconds) return <span className="muted">{text}</span>
  return (
    <span className="muted" title={`Goal: every ${durationText(seconds * 1000)}`}>
      {text} (request limit)
    </span>
  )
}

/** Why a source is not healthy, and when it is asked again. */
function Cause({ source, timeZone }: { source: SourceHealth; timeZone: string }) {
  const { failures, last_error: error, last_good_at: good, next_try_at: next, unread_sections: unread } = source
  const parts: ReactNode[] = [
    error?.replace(/\.$/, ''),
    failures > 1 && `${failures} times in a row`,
    failures > 0 && good !== null && (
      <>
        last answer <RelativeTime at={good} timeZone={timeZone} />
      </>
    ),
    source.unread_since !== null && (
      <>
        {counted(unread, 'watched section')} last observed <RelativeTime at={source.unread_since} timeZone={timeZone} />
      </>
    ),
    next !== null && (
      <>
        next try <RelativeTime at={next} timeZone={timeZone} />
      </>
    ),
  ]
  const said = parts.filter((part) => part !== null && part !== undefined && part !== false && part !== '')
  if (said.length === 0) return null
  return (
    <tr className={healthOf(source) === 'failing' ? 'row-cause row-bad' : 'row-cause'}>
      <td colSpan={7}>
        {said.map((part, place) => (
          <span key={place}>
            {place > 0 && ' · '}
            {part}
          </span>
        ))}
      </td>
    </tr>
  )
}

interface SourceRowProps {
  source: SourceHealth
  /** False while no seats are being checked. */
  isPolled: boolean
  timeZone: string
}

function SourceRow({ source, isPolled, timeZone }: SourceRowProps) {
  const { id, name, watches, checked_at: checked, last_refreshed: refreshed, by } = source
  const health = healthOf(source)
  const { word, tone } = healthLabels[health]
  return (
    <tr className={health === 'failing' ? 'row-bad' : undefined}>
      <td data-label="Source">
        <a className="plain-link" href={`/admin/sources/${id}/`}>
          {name}
        </a>{' '}
        {source.system !== name && <span className="muted">{source.system}</span>}
      </td>
      <td data-label="Health">
        <Badge tone={tone}>
          {(tone === 'danger' || tone === 'waitlisted') && <Icon name="warning" size={12} />}
          {word}
        </Badge>
      </td>
      <td data-label="Watches" className="cell-end">
        {countText(watches)}
      </td>
      <td data-label="Seats checked">
        {watches === 0 ? (
          <span className="muted">No watches</span>
        ) : !isPolled ? (
          'Paused'
        ) : (
          <>
            {checked === null ? 'Not yet' : <RelativeTime at={checked} timeZone={timeZone} />}{' '}
            <Interval source={source} />
          </>
        )}
      </td>
      <td data-label="Last refreshed">
        {refreshed === null ? (
          'Never'
        ) : (
          <>
            <RelativeTime at={refreshed} timeZone={timeZone} />
            {by && <span className="muted"> {by === 'nightly' ? by : `by ${by}`}</span>}
          </>
        )}
      </td>
      <td data-label="Next due">
        <Due source={source} timeZone={timeZone} />
      </td>
      <td className="row-end" aria-label="More">
        <RowMenu id={`source-${id}`} label={`More about ${name}`}>
          <a href={`/class_tracker/class_alerts/?${new URLSearchParams({ q: name })}`}>Its class alerts</a>
          <a href={`/admin/sources/${id}/`}>Check now or edit in Admin</a>
        </RowMenu>
      </td>
    </tr>
  )
}

/** When it is refreshed again; one that is late is due now. */
function Due({ source: { health, next_due: due }, timeZone }: Pick<SourceRowProps, 'source' | 'timeZone'>) {
  const now = useNow()
  if (due === null) return '–'
  const isLate = health === 'never' || (now !== null && Date.parse(due) <= now)
  return isLate ? 'now' : <RelativeTime at={due} timeZone={timeZone} />
}

interface SourceTableProps extends Omit<SourceRowProps, 'source'> {
  sources: readonly SourceHealth[]
}

export function SourceTable({ sources, isPolled, timeZone }: SourceTableProps) {
  if (sources.length === 0) {
    return (
      <EmptyState title="No sources yet">
        <p>
          <a href="/class_tracker/schools/">Add a school</a> to read its courses.
        </p>
      </EmptyState>
    )
  }
  return (
    <table className="table table-live table-lines">
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col">Health</th>
          <th scope="col" className="cell-end">
            Watches
          </th>
          <th scope="col">Seats checked</th>
          <th scope="col">Last refreshed</th>
          <th scope="col">Next due</th>
          <th scope="col" className="row-end">
            <span className="hidden-visually">More</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {byTrouble(sources).flatMap((source) => [
          <SourceRow key={source.id} source={source} isPolled={isPolled} timeZone={timeZone} />,
          source.health !== 'healthy' && source.health !== 'disabled' && (
            <Cause key={`cause-${source.id}`} source={source} timeZone={timeZone} />
          ),
        ])}
      </tbody>
    </table>
  )
}
