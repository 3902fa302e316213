import * as fc from 'fast-check'
import type { QueueMessage, BulkAct, ClaimedJob, JobRequest } from '../../src/jobs/ledger/calls.ts'

/** One thing that happens to a ledger. `pick` chooses among what exists at the time (messages, claimed jobs, jobs). */
export type Step =
  | { do: 'enqueue'; request: Omit<JobRequest, 'at' | 'input'> & { delay: number } }
  | { do: 'deliver'; pick: number; keep: boolean }
  | { do: 'lose message'; pick: number }
  | { do: 'ask' }
  | { do: 'heartbeat' | 'progress' | 'finish' | 'stopped' | 'give back' | 'crash'; pick: number }
  | { do: 'fail'; pick: number; retryIn: number | null; giveUp: boolean }
  | { do: 'again'; pick: number; delay: number }
  | { do: 'act'; act: BulkAct; pick: number }
  | { do: 'bulk'; act: BulkAct }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'prune' }
  | { do: 'tick' }
  | { do: 'lose alarm' }
  | { do: 'sends fail' }
  | { do: 'wait'; milliseconds: number }

const pick = fc.nat({ max: 1000 })
const act = fc.constantFrom<BulkAct>('cancel', 'stop', 'requeue', 'delete')
const limit = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  run_seconds: fc.constantFrom(1, 20),
  retry_seconds: fc.constantFrom([], [0], [5], [1, 90]),
})
const request = fc.record(
  {
    task: fc.constantFrom('poll', 'send'),
    limit,
    delay: fc.constantFrom(-5000, 0, 0, 0, 3000, 90_000),
    key: fc.constantFrom('first', 'second'),
    priority: fc.constantFrom(0, 10),
    exclusive: fc.record({ name: fc.constantFrom('north', 'south'), when_held: fc.constantFrom('wait', 'skip') }),
  },
  { requiredKeys: ['task', 'limit', 'delay'] },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('enqueue'), request }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('deliver'), pick, keep: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose message'), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('heartbeat', 'progress', 'finish', 'finish', 'stopped', 'give back', 'crash'),
      pick,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fail'),
      pick,
      retryIn: fc.constantFrom(null, 0, 7000),
      giveUp: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('again'), pick, delay: fc.constantFrom(0, 4000, 30_000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('act'), act, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bulk'), act }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'prune', 'tick', 'lose alarm', 'sends fail') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait'), milliseconds: fc.constantFrom(1, 900, 6000, 21_000, 61_000) }),
  },
)

export const history: fc.Arbitrary<Step[]> = fc.array(step, { maxLength: 80, size: 'max' })

/** Too rare by chance: a job comes due while another of its name is between two runs. */
export const betweenRuns: Step[] = [0, 0].flatMap((pick): Step[] => [
  {
    do: 'enqueue',
    request: {
      task: 'poll',
      limit: { attempts: 3, run_seconds: 20, retry_seconds: [5] },
      delay: 0,
      exclusive: { name: 'north', when_held: 'skip' },
    },
  },
  { do: 'deliver', pick, keep: false },
  { do: 'again', pick, delay: 30_000 },
])

/** A claimed job as its holder sees it, crashed or not. */
export interface Held {
  claimed: ClaimedJob
  leaseUntil: number
  /** The end was reported, and accepted. */
  isOver: boolean
}

/** The environment of a ledger: messages on their way, and workers that hold claimed jobs. */
export interface Outside {
  now: number
  alarm: number | null
  messages: QueueMessage[]
  held: Held[]
}
