import type { JobRecord } from '../jobs/job.ts'
import type { JobDetail, RunRecord } from '../jobs/ledger/views.ts'
import { iso, isoOrNull } from '../lib/moment.ts'
import { shortened } from '../lib/shortened.ts'
import type { JobPage, JobProgress, JobRow, JobRun, RunRow } from './contract.ts'
import { actionsOf } from './jobs/job-acts.ts'

/* The ledger's data about a job and its runs, as pages and calls show it: dates are ISO 8601 in UTC. */

const MAX_TEXT_LENGTH = 200

/** What pages of other areas need to follow their jobs. */
export function jobProgress({ id, name, queue, state, progress, result, error }: JobRecord): JobProgress {
  return { id, name, queue, status: state, progress, result, error }
}

/** A job as a row of a list. */
export function jobRow(record: JobRecord): JobRow {
  return {
    ...headOf(record),
    error: firstLine(record.error),
    arguments: shortened(JSON.stringify(record.input) ?? '', MAX_TEXT_LENGTH),
  }
}

/** Everything that a job's page shows. */
export function jobPage(detail: JobDetail): JobPage {
  return {
    ...headOf(detail),
    id: detail.id,
    result: detail.result,
    error: detail.error,
    input: detail.input,
    limit: detail.limit,
    tries: detail.tries,
    priority: detail.priority,
    key: detail.key,
    exclusive: detail.exclusive?.name ?? null,
    asked_by: detail.asked_by,
    heartbeat_at: isoOrNull(detail.heartbeat_at),
    lease_until: isoOrNull(detail.lease_until),
    stop_asked: detail.stop_asked,
    lines: detail.lines.map(({ at, line }) => ({ at: iso(at), line })),
    runs: detail.runs.map(jobRun),
    actions: actionsOf[detail.state],
  }
}

function headOf(record: JobRecord): Omit<JobRow, 'error' | 'arguments'> {
  return {
    name: record.name,
    queue: record.queue,
    task: record.task,
    status: record.state,
    progress: record.progress,
    created_at: iso(record.created_at),
    due_at: iso(record.due_at),
    queued_at: isoOrNull(record.queued_at),
    started_at: isoOrNull(record.started_at),
    ended_at: isoOrNull(record.ended_at),
    attempt: record.attempt,
    worker: record.worker,
  }
}

/** One attempt of a job, on the job's page. */
function jobRun({ attempt, outcome, started_at, ended_at, error, worker }: RunRecord): JobRun {
  return {
    attempt,
    outcome,
    started_at: iso(started_at),
    ended_at: isoOrNull(ended_at),
    error: firstLine(error),
    worker,
  }
}

/** One attempt on its worker's page. Its duration is the full time, including fractions of a second. */
export function runRow(run: RunRecord): RunRow {
  return {
    ...jobRun(run),
    job: run.job,
    task: run.task,
    created_at: iso(run.created_at),
    queued_at: isoOrNull(run.queued_at),
    ran_ms: run.ended_at === null ? null : run.ended_at - run.started_at,
    result: run.result,
  }
}

/** The first line of an error, short enough for a list. */
function firstLine(error: string | null): string | null {
  return error === null ? null : shortened(error.trim().split('\n', 1)[0] ?? '', MAX_TEXT_LENGTH)
}
