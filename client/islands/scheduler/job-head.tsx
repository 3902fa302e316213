import type { JobProps } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { stateTone } from './texts.ts'

/** What the job is and how it stands. */
export function JobHead({ shown }: { shown: JobProps }) {
  const { job, row } = shown
  return (
    <>
      <h1 className="job-title">{row.task}</h1>
      <p className="row" role="status">
        <Badge tone={stateTone(job.status)}>{job.status}</Badge>
        {shown.stop_asked && job.status === 'started' ? <Badge tone="waitlisted">asked to stop</Badge> : null}
        <span className="small job-id">{job.name}</span>
      </p>
    </>
  )
}
