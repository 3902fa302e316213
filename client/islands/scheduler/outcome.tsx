import type { RunRow } from '../../../src/scheduler/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'

const outcomes: Record<string, { label: string; tone: BadgeTone }> = {
  running: { label: 'running', tone: 'info' },
  finished: { label: 'successful', tone: 'done' },
  failed: { label: 'failed', tone: 'danger' },
  retried: { label: 'failed, retried', tone: 'waitlisted' },
  again: { label: 'continues', tone: 'neutral' },
  stopped: { label: 'stopped', tone: 'neutral' },
  lost: { label: 'lost its worker', tone: 'danger' },
  returned: { label: 'returned for another version', tone: 'info' },
}

/** The result of a run; "running" if it has none yet. */
export function RunOutcome({ run: { outcome, error } }: { run: Pick<RunRow, 'outcome' | 'error'> }) {
  const { label, tone } = outcomes[outcome ?? 'running'] ?? { label: outcome, tone: 'unknown' }
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
      {error && <ErrorLine error={error} />}
    </span>
  )
}

/** The first line of an error; the whole error on hover. */
export function ErrorLine({ error }: { error: string }) {
  return (
    <span className="source-error tiny first-line" title={error}>
      {error.split('\n', 1)[0]}
    </span>
  )
}
