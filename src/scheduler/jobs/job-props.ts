import type { JobDetail, RunRecord } from '../../jobs/ledger/views.ts'
import { firstLine } from '../../jobs/shown.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { JobProps, JobRun } from '../contract.ts'
import { jobAnswer } from '../job-answer.ts'
import { actionsOf } from './job-acts.ts'

/** All that a job's page shows. */
export function jobProps(detail: JobDetail): JobProps {
  return {
    job: {
      ...jobAnswer(detail),
      task: detail.task,
      input: detail.input,
      created_at: iso(detail.created_at),
      due_at: iso(detail.due_at),
      queued_at: isoOrNull(detail.queued_at),
      started_at: isoOrNull(detail.started_at),
      ended_at: isoOrNull(detail.ended_at),
      attempt: detail.attempt,
      worker: detail.worker,
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
    },
  }
}

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
