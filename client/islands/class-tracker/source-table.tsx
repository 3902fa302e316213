import type { ReactNode } from 'react'
import type { SourceHealth } from '../../../src/class-tracker/courses/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { durationText } from '../../components/time-text.ts'
import { counted } from './section-text.ts'

const healthWords: Record<SourceHealth['health'], { word: string; tone: BadgeTone }> = {
  never: { word: 'Not read yet', tone: 'neutral' },
  healthy: { word: 'Healthy', tone: 'done' },
  partial: { word: 'Partly unread', tone: 'waitlisted' },
  failing: { word: 'Failing', tone: 'danger' },
  paused: { word: 'Paused', tone: 'waitlisted' },
  disabled: { word: 'Off', tone: 'neutral' },
}

/** How often its watched sections are actually checked, in words. */
function intervalText({ effective_interval: interval, poll_seconds: seconds }: SourceHealth): string {
  return interval === null ? 'No watches' : `every ${durationText(Math.max(interval, seconds) * 1000)}`
}

function Unread({ source, timeZone }: { source: SourceHealth; timeZone: string }) {
  const { unread_sections: sections, unread_since: since } = source
  if (since === null || source.health === 'disabled') return null
  return (
    <span className="source-error tiny">
      {counted(sections, 'watched section')} last observed <RelativeTime at={since} timeZone={timeZone} />
    </span>
  )
}

interface SourceRowProps {
  source: SourceHealth
  /** False while no seats are checked at all. */
  isPolled: boolean
  timeZone: string
}

function SourceRow({ source, isPolled, timeZone }: SourceRowProps) {
  const { word, tone } = healthWords[source.health]
  return (
    <tr>
      <td data-label="Source">
        <span>
          {source.name} {source.system !== source.name && <span className="muted">{source.system}</span>}
        </span>
      </td>
      <td data-label="Health">
        <span>
          <Badge tone={tone}>{word}</Badge>
          <Unread source={source} timeZone={timeZone} />
          {source.last_error && source.health !== 'healthy' && (
            <span className="source-error tiny">{source.last_error}</span>
          )}
        </span>
      </td>
      <td data-label="Last refreshed">
        {source.last_refreshed ? (
          <span>
            <RelativeTime at={source.last_refreshed} timeZone={timeZone} />
            {source.by && <span className="muted"> by {source.by}</span>}
          </span>
        ) : (
          'never'
        )}
      </td>
      <td data-label="Next due">{dueText(source, timeZone)}</td>
      <td data-label="Seats checked">{isPolled ? intervalText(source) : 'paused'}</td>
    </tr>
  )
}

function dueText({ health, next_due: due }: SourceHealth, timeZone: string): ReactNode {
  if (due === null) return '–'
  return health === 'never' ? 'now' : <RelativeTime at={due} timeZone={timeZone} />
}

interface SourceTableProps extends Omit<SourceRowProps, 'source'> {
  sources: readonly SourceHealth[]
}

/** The schools' systems and their health. */
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
          <th scope="col">Last refreshed</th>
          <th scope="col">Next due</th>
          <th scope="col">Seats checked</th>
        </tr>
      </thead>
      <tbody>
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} isPolled={isPolled} timeZone={timeZone} />
        ))}
      </tbody>
    </table>
  )
}
