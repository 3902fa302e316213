import { jobAddress } from './addresses.ts'

/** Links to the jobs a worker runs now; a dash for none. */
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
