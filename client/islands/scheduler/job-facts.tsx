import type { ReactNode } from 'react'
import type { JobPage } from '../../../src/scheduler/contract.ts'
import { useNow } from '../../components/use-now.ts'
import { durationText, measureText } from '../../components/time-text.ts'
import { Facts } from '../../components/facts.tsx'
import { listAddress, workerAddress } from './addresses.ts'
import { ExactMoment } from './moment.tsx'
import { ranFor } from './texts.ts'

/** "after 5 s, 30 s": the delay before each further try. */
function retryText({ attempts, retry_seconds: waits }: JobPage['limit']): string {
  if (attempts <= 1 || waits.length === 0) return 'none'
  const texts = waits.map((seconds) => durationText(seconds * 1000))
  return `after ${texts.join(', ')}`
}

/** Everything known about the job besides its input and result. */
export function JobFacts({ job, timeZone }: { job: JobPage; timeZone: string }) {
  const { limit } = job
  const now = useNow()
  const ran = ranFor(job, now)
  const moment = (at: string | null): ReactNode => <ExactMoment at={at} timeZone={timeZone} />
  return (
    <section aria-label="Job details">
      <Facts
        className="facts-lined"
        facts={[
          [
            'Queue',
            <a key="queue" href={listAddress(job.queue, 'queued')}>
              {job.queue}
            </a>,
          ],
          ['Callable', job.task],
          ['Created', moment(job.created_at)],
          ['Scheduled', moment(job.due_at)],
          ['Enqueued', moment(job.queued_at)],
          ['Started', moment(job.started_at)],
          ['Ended', moment(job.ended_at)],
          ['Ran for', ran === null ? '–' : measureText(ran)],
          [
            'Worker',
            job.worker === null ? (
              '–'
            ) : (
              <a key="worker" href={workerAddress(job.worker)}>
                {job.worker}
              </a>
            ),
          ],
          ['Last heartbeat', moment(job.heartbeat_at)],
          ['Lease expires', moment(job.lease_until)],
          ['Attempts', `${job.tries} of ${limit.attempts}`],
          ['Retry delays', retryText(limit)],
          ['Timeout', durationText(limit.run_seconds * 1000)],
          ['Priority', String(job.priority)],
          ['Key', job.key ?? '–'],
          ['Concurrency key', job.exclusive ?? '–'],
          ['Requested by', job.asked_by ?? 'the system'],
        ]}
      />
    </section>
  )
}
