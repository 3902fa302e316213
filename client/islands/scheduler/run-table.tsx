import type { RunRow } from '../../../src/scheduler/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { measureText } from '../../components/time-text.ts'
import { jobAddress, workerAddress } from './addresses.ts'
import { Moment } from './moment.tsx'

const outcomes: Record<string, { label: string; tone: BadgeTone }> = {
  finished: { label: 'successful', tone: 'open' },
  failed: { label: 'failed', tone: 'danger' },
  retried: { label: 'failed, tried again', tone: 'waitlisted' },
  again: { label: 'goes on later', tone: 'neutral' },
  stopped: { label: 'stopped', tone: 'neutral' },
  lost: { label: 'lost its worker', tone: 'danger' },
}
const running = { label: 'running', tone: 'info' } as const

/** How a run came out, in words. */
export function outcomeOf(outcome: string | null): { label: string; tone: BadgeTone } {
  if (outcome === null) return running
  return outcomes[outcome] ?? { label: outcome, tone: 'unknown' }
}

/** Runs, newest first; those of one job without the job's name. */
export function RunTable({
  runs,
  timeZone,
  ofOneJob,
}: {
  runs: readonly RunRow[]
  timeZone: string
  ofOneJob: boolean
}) {
  return (
    <div className="wide">
      <table className="table table-dense">
        <thead>
          <tr>
            {ofOneJob ? null : (
              <>
                <th scope="col">ID</th>
                <th scope="col">Task</th>
              </>
            )}
            <th scope="col">Run</th>
            <th scope="col">Result</th>
            {ofOneJob ? null : (
              <>
                <th scope="col">Created</th>
                <th scope="col">Enqueued</th>
              </>
            )}
            <th scope="col">Started</th>
            <th scope="col">Ran for</th>
            {ofOneJob ? null : <th scope="col">Return value</th>}
            {ofOneJob ? <th scope="col">Worker</th> : null}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={`${run.job} ${run.attempt}`}>
              {ofOneJob ? null : (
                <>
                  <td data-label="ID">
                    <a href={jobAddress(run.job)}>{run.job}</a>
                  </td>
                  <td data-label="Task">{run.task}</td>
                </>
              )}
              <td data-label="Run">{run.attempt}</td>
              <td data-label="Result">
                <span>
                  <Badge tone={outcomeOf(run.outcome).tone}>{outcomeOf(run.outcome).label}</Badge>
                  {run.error === null || run.error === '' ? null : (
                    <span className="source-error first-line" title={run.error}>
                      {run.error.split('\n', 1)[0]}
                    </span>
                  )}
                </span>
              </td>
              {ofOneJob ? null : (
                <>
                  <td data-label="Created">
                    <Moment at={run.created_at} timeZone={timeZone} />
                  </td>
                  <td data-label="Enqueued">
                    <Moment at={run.queued_at} timeZone={timeZone} />
                  </td>
                </>
              )}
              <td data-label="Started">
                <Moment at={run.started_at} timeZone={timeZone} />
              </td>
              <td data-label="Ran for">{run.ran_ms === null ? '–' : measureText(run.ran_ms)}</td>
              {ofOneJob ? null : (
                <td data-label="Return value" className="first-line">
                  {run.result ?? '–'}
                </td>
              )}
              {ofOneJob ? (
                <td data-label="Worker">
                  <a href={workerAddress(run.worker)}>{run.worker}</a>
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
