import type { JobDetail } from '../../jobs/ledger-views.ts'
import { shownJob } from '../../jobs/shown.ts'
import { iso, isoOrNull } from '../../web/moment.ts'
import type { JobProps } from '../contract.ts'
import { jobAnswer } from '../job-answer.ts'
import { runRow } from '../shown.ts'
import { actionsOf } from './job-acts.ts'

/** All that a job's page shows. */
export function jobProps(detail: JobDetail): JobProps {
  return {
    job: jobAnswer(detail),
    row: shownJob(detail),
    input: written(detail.input),
    result: detail.result === null ? null : written(detail.result),
    error: detail.error,
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
    runs: detail.runs.map(runRow),
    actions: actionsOf[detail.state],
  }
}

const written = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''
