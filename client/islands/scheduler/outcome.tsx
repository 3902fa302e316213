import type { RunRow } from '../../../src/scheduler/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'

const outcomes: Record<string, { label: string; tone: BadgeTone }> = {
  finished: { label: 'successful', tone: 'done' },
  failed: { label: 'failed', tone: 'danger' },
  retried: { label: 'failed, retried', tone: 'waitlisted' },
  again: { label: 'continues', tone: 'neutral' },
  stopped: { label: 'stopped', tone: 'neutral' },
  lost: { label: 'lost its worker', tone: 'danger' },
  returned: { label: 'returned for another version', tone: 'info' },
}
const running = { label: 'running', tone: 'info' } as const

function outcomeOf(outcome: string | null): { label: string; tone: BadgeTone } {
  if (outcome === null) return running
  return outcomes[outcome] ?? { label: outcome, tone: 'unknown' }
}

export function Outcome({ run }: { run: Pick<RunRow, 'outcome' | 'error'> }) {
  const { label, tone } = outcomeOf(run.outcome)
  return (
    <span>
      <Badge tone={tone}>{label}</Badge>
      {run.error === null || run.error === '' ? null : <ErrorLine error={run.error} />}
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
