import type { JobRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button } from '../../components/button.tsx'
import { CsrfToken } from '../../components/navbar.tsx'
import { jobActionAddress, jobAddress } from './addresses.ts'
import { Moment } from './moment.tsx'

/** The newest failures, each with the first line of its error and the way to try it again. */
export function Failures({ failures, context }: { failures: readonly JobRow[]; context: PageContext }) {
  if (failures.length === 0) return null
  return (
    <section className="card" aria-labelledby="failures">
      <div className="card-head">
        <h2 id="failures">Recent failures</h2>
      </div>
      <ul className="rows">
        {failures.map((job) => (
          <li key={job.name} className="card-body row failure">
            <div className="grow">
              <p className="row">
                <a className="strong" href={jobAddress(job.name)}>
                  {job.task}
                </a>
                <span className="small muted">
                  {job.queue} · <Moment at={job.ended_at} timeZone={context.time_zone} />
                </span>
              </p>
              <p className="source-error small first-line" title={job.error ?? undefined}>
                {job.error ?? 'No reason given.'}
              </p>
            </div>
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
