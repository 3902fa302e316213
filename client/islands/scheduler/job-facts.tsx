import type { ReactNode } from 'react'
import type { JobProps, JobRow } from '../../../src/scheduler/contract.ts'
import { useNow } from '../../components/use-now.ts'
import { durationText, measureText } from '../../components/time-text.ts'
import { listAddress, workerAddress } from './addresses.ts'
import { Facts } from './facts.tsx'
import { Moment } from './moment.tsx'
import { ranFor } from './texts.ts'

/** "after 5 s, 30 s": how long it waits before each further try. */
function retryText({ attempts, retry_seconds: waits }: JobProps['limit']): string {
  if (attempts <= 1 || waits.length === 0) return 'none'
  const texts = waits.map((seconds) => durationText(seconds * 1000))
  return `after ${texts.join(', ')}`
}

/** Everything that is known of the job, besides what it was given and what came out. */
export function JobFacts({ props, row, timeZone }: { props: JobProps; row: JobRow; timeZone: string }) {
  const { limit } = props
  const now = useNow()
  const ran = ranFor(row, now)
  const moment = (at: string | null): ReactNode => <Moment at={at} timeZone={timeZone} />
  return (
    <section className="card card-body" aria-label="The job">
      <Facts
        facts={[
          [
            'Queue',
            <a key="queue" href={listAddress(row.queue, 'queued')}>
              {row.queue}
            </a>,
          ],
          ['Callable', row.task],
          ['Created', moment(row.created_at)],
          ['Scheduled', moment(row.due_at)],
          ['Enqueued', moment(row.queued_at)],
          ['Started', moment(row.started_at)],
          ['Ended', moment(row.ended_at)],
          ['Ran for', ran === null ? '–' : measureText(ran)],
          [
            'Worker',
            row.worker === null ? (
              '–'
            ) : (
              <a key="worker" href={workerAddress(row.worker)}>
                {row.worker}
              </a>
            ),
          ],
          ['Last heartbeat', moment(props.heartbeat_at)],
          ['Lease until', moment(props.lease_until)],
          ['Tries', `${props.tries} of ${limit.attempts}`],
          ['Waits before a retry', retryText(limit)],
          ['Timeout', durationText(limit.run_seconds * 1000)],
          ['Priority', String(props.priority)],
          ['Key', props.key ?? '–'],
          ['One at a time', props.exclusive ?? '–'],
          ['Asked by', props.asked_by ?? 'the system'],
        ]}
      />
    </section>
  )
}
