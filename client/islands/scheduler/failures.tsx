import type { JobRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { counted } from '../../components/count-text.ts'
import { jobActionAddress, jobAddress } from './addresses.ts'
import { Moment } from './moment.tsx'

/** The newest failures, each with the first line of its error and a button to retry it. */
export function Failures({ failures, context }: { failures: readonly JobRow[]; context: PageContext }) {
  if (failures.length === 0) return null
  return (
    <section className="stack stack-small" aria-labelledby="failures">
      <h2 id="failures">Recent failures</h2>
      <ul className="failures">
        {failures.map((job) => (
          <li key={job.name} className="failure" data-row>
            <span className="callable">
              <a className="strong" href={jobAddress(job.name)}>
                {job.task}
              </a>{' '}
              <span className="muted">
                {job.queue}
                {job.attempt > 1 && ` · ${counted(job.attempt, 'attempt')}`}
              </span>
            </span>
            <span className="first-line break" title={job.error ?? undefined}>
              {job.error ?? 'No reason given.'}
            </span>
            <span className="muted failure-about">
              <Moment at={job.ended_at} timeZone={context.time_zone} />
            </span>
            <form method="post" action={jobActionAddress(job.name, 'requeue')}>
              <CsrfToken context={context} />
              <Button type="submit" aria-label={`Requeue ${job.task} ${job.name}`}>
                Requeue
              </Button>
            </form>
          </li>
        ))}
      </ul>
    </section>
  )
}
