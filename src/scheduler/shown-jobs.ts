import type { JobRecord } from '../jobs/job.ts'
import type { JobDetail, RunRecord } from '../jobs/ledger/views.ts'
import { iso, isoOrNull } from '../lib/time.ts'
import { truncated } from '../lib/text.ts'
import type { JobPage, JobProgress, JobRow, JobRun, RunRow } from './contract.ts'
import { actionsOf } from './jobs/job-acts.ts'

/* The ledger's data about a job and its runs, as pages and calls show it: dates are ISO 8601 in UTC. */

const MAX_TEXT_LENGTH = 200

/** What pages of other areas need to follow their jobs. */
export function jobProgress({ id, queue, state, progress, result, error }: JobRecord): JobProgress {
  return { id, name: id, queue, status: state, progress, result, error }
}

export function jobRow(record: JobRecord): JobRow {
  const { id, queue, task, state, progress, attempt, worker, error, input } = record
  const head = { id, name: id, queue, task, status: state, progress, ...timesOf(record), attempt, worker }
  return { ...head, error: firstLine(error), arguments: truncated(JSON.stringify(input) ?? '', MAX_TEXT_LENGTH) }
}

export function jobPage({ state, ...detail }: JobDetail): JobPage {
  return {
    ...detail,
    name: detail.id,
    ...timesOf(detail),
    status: state,
    heartbeat_at: isoOrNull(detail.heartbeat_at),
    lease_until: isoOrNull(detail.lease_until),
    lines: detail.lines.map(({ at, line }) => ({ at: iso(at), line })),
    runs: detail.runs.map(jobRun),
    actions: actionsOf({ task: detail.task, state }),
  }
}

function timesOf({ created_at, due_at, queued_at, started_at, ended_at }: Omit<JobRecord, 'state'>) {
  return {
    created_at: iso(created_at),
    due_at: iso(due_at),
    queued_at: isoOrNull(queued_at),
    started_at: isoOrNull(started_at),
    ended_at: isoOrNull(ended_at),
  }
}

function jobRun({ attempt, outcome, started_at, ended_at, error, worker }: RunRecord): JobRun {
  const times = { started_at: iso(started_at), ended_at: isoOrNull(ended_at) }
  return { attempt, outcome, ...times, error: firstLine(error), worker }
}

/** One attempt on its worker's page. Its duration is the full time, including fractions of a second. */
export function runRow(run: RunRecord): RunRow {
  const { job, state, task, created_at, queued_at, started_at, ended_at, result } = run
  const ran_ms = ended_at === null ? null : ended_at - started_at
  const head = { id: job, name: job, job, status: state, task }
  return { ...head, ...jobRun(run), created_at: iso(created_at), queued_at: isoOrNull(queued_at), ran_ms, result }
}

/** The first line of an error, short enough for a list. */
function firstLine(error: string | null): string | null {
  return error === null ? null : truncated(error.trim().split('\n', 1)[0] ?? '', MAX_TEXT_LENGTH)
}
