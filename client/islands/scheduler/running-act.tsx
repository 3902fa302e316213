import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { Progress } from '../../components/progress.tsx'
import { jobAddress } from './addresses.ts'

/** An act on many jobs that goes on in the background. */
export function RunningAct({ running }: { running: NonNullable<JobListProps['running']> }) {
  return (
    <section className="card card-body stack stack-small" aria-label="Under way">
      <Progress done={running.done} total={running.total} label={running.label} />
      <p className="small">
        It goes on if you leave. <a href={jobAddress(running.job)}>Follow its job</a>
      </p>
    </section>
  )
}
