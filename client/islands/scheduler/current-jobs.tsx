import { jobAddress } from './addresses.ts'

/** Links to the jobs a worker is running; a dash if there are none. */
export function CurrentJobs({ jobs }: { jobs: readonly string[] }) {
  if (jobs.length === 0) return <>–</>
  return (
    <span className="stack stack-small">
      {jobs.map((job) => (
        <a key={job} href={jobAddress(job)}>
          {job}
        </a>
      ))}
    </span>
  )
}
