import type { JobPage } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { stateTone } from './texts.ts'

/** What the job is and how it stands. */
export function JobHead({ job }: { job: JobPage }) {
  return (
    <>
      <h1 className="job-title">{job.task}</h1>
      <p className="row" role="status">
        <Badge tone={stateTone(job.status)}>{job.status}</Badge>
        {job.stop_asked && job.status === 'started' ? <Badge tone="waitlisted">asked to stop</Badge> : null}
        <span className="small job-id">{job.name}</span>
      </p>
    </>
  )
}
