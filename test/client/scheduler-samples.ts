import type { JobPage, JobProps, JobRow, QueueRow } from '../../src/scheduler/contract.ts'

const at = '2026-11-03T19:05:00.000Z'
const progress = { done: 0, total: 0, label: '' }

export const jobRow = ({ name = 'poll-source-1k7vra67c00001p', ...change }: Partial<JobRow> = {}): JobRow => ({
  id: name,
  name,
  queue: 'polls',
  task: 'poll-source',
  status: 'failed',
  created_at: at,
  due_at: at,
  queued_at: at,
  started_at: '2026-11-03T19:05:00.040Z',
  ended_at: '2026-11-03T19:05:01.240Z',
  attempt: 1,
  worker: 'worker-1',
  progress,
  error: 'Error: The page was not read.',
  arguments: '{"source":1}',
  ...change,
})

export const queueRow = (change: Partial<QueueRow> = {}): QueueRow => ({
  name: 'polls',
  is_reachable: true,
  counts: { queued: 0, scheduled: 0, active: 0, finished: 12, failed: 1, canceled: 0 },
  oldest_queued_at: null,
  workers: 1,
  paused: false,
  paused_at: null,
  paused_by: null,
  stops: 'Seats are not checked',
  last_tick_at: at,
  ...change,
})

export const jobProps = (change: Partial<JobPage> = {}): JobProps => {
  const { arguments: _, ...row } = jobRow()
  return {
    job: {
      ...row,
      input: { source: 1 },
      result: null,
      error: 'Error: The page was not read.\n    at poll',
      limit: { attempts: 3, run_seconds: 20, retry_seconds: [5, 30] },
      tries: 3,
      priority: 0,
      key: null,
      exclusive: null,
      asked_by: null,
      heartbeat_at: at,
      lease_until: null,
      stop_asked: false,
      lines: [],
      runs: [],
      actions: ['requeue', 'delete'],
      ...change,
    },
  }
}
