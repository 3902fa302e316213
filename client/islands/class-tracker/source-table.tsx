import type { SourceHealth } from '../../../src/class-tracker/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { durationText } from '../../components/time-text.ts'

const healthWords: Record<SourceHealth['health'], { word: string; tone: BadgeTone }> = {
  never: { word: 'Not read yet', tone: 'neutral' },
  healthy: { word: 'Healthy', tone: 'open' },
  failing: { word: 'Failing', tone: 'danger' },
  paused: { word: 'Paused', tone: 'waitlisted' },
  disabled: { word: 'Off', tone: 'neutral' },
}

/** How often its watched sections are really read, in words. */
function intervalText({ effective_interval: interval, poll_seconds: seconds }: SourceHealth): string {
  return interval === null ? 'nothing watched' : `every ${durationText(Math.max(interval, seconds) * 1000)}`
}

function SourceRow({ source, timeZone }: { source: SourceHealth; timeZone: string }) {
  const { word, tone } = healthWords[source.health]
  return (
    <tr>
      <td data-label="Source">
        <span>
          {source.name} <span className="muted">{source.kind}</span>
        </span>
      </td>
      <td data-label="Health">
        <span>
          <Badge tone={tone}>{word}</Badge>
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
      <td data-label="Next due">{source.next_due ? <RelativeTime at={source.next_due} timeZone={timeZone} /> : '–'}</td>
      <td data-label="Seats checked">{intervalText(source)}</td>
    </tr>
  )
}

/** The schools' systems and how they do. */
export function SourceTable({ sources, timeZone }: { sources: readonly SourceHealth[]; timeZone: string }) {
  if (sources.length === 0) {
    return (
      <EmptyState title="No sources yet">
        <p>Add a school's system in the admin to read courses from it.</p>
      </EmptyState>
    )
  }
  return (
    <table className="table table-live">
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
          <SourceRow key={source.id} source={source} timeZone={timeZone} />
        ))}
      </tbody>
    </table>
  )
}
