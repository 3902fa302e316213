import type { Job } from '../contract.ts'

/** One job: where it stands and what came of it. */
export function JobPage({ job }: { job: Job }) {
  const { done, total, label } = job.progress
  return (
    <div className="stack">
      <header className="page-head">
        <div>
          <h1>{job.id}</h1>
          <p>
            Queue {job.queue}, {job.status}
          </p>
        </div>
      </header>
      <p>
        {label === '' ? 'Progress' : label}: {total > 0 ? `${done} of ${total}` : done}
      </p>
      {job.error === null ? null : (
        <p className="error-summary" role="alert">
          {job.error}
        </p>
      )}
      {job.result === null || job.result === undefined ? null : (
        <details>
          <summary>Result</summary>
          <pre>{JSON.stringify(job.result, null, 2)}</pre>
        </details>
      )}
    </div>
  )
}
