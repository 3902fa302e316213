import * as fc from 'fast-check'

/**
 * What a job of a history does: it fails a number of times, may run again once, and may continue until it is stopped.
 */
export interface Played {
  failures: number
  runs_again: boolean
  is_long: boolean
}

export interface Asked {
  played: Played
  attempts: number
  /** ms until it is due */
  delay: number
  key: string | null
  exclusive: 'wait' | 'skip' | null
}

/** One thing that happens to a real queue and its ledger. `pick` chooses among the jobs that exist at the time. */
export type QueueStep =
  | { do: 'enqueue'; asked: Asked[] }
  /** A message arrives again, or late, or for a future attempt. */
  | { do: 'message'; pick: number; attempt: number }
  /** Messages are lost until the ledger restarts. */
  | { do: 'lose messages' }
  /** A worker claims the next jobs and disappears. */
  | { do: 'claim and crash' }
  /** A runner takes jobs without messages, and is killed between two steps of its jobs. */
  | { do: 'runner dies'; asked: Asked[]; after: number }
  /** The leases of crashed workers expire. */
  | { do: 'leases run out' }
  | { do: 'cancel' | 'stop' | 'requeue' | 'delete'; pick: number }
  | { do: 'pause' | 'resume' | 'lose alarm' | 'evict' | 'tick' | 'let long jobs end' }
  | { do: 'wait'; milliseconds: number }

const pick = fc.nat({ max: 1000 })

const asked: fc.Arbitrary<Asked> = fc.record({
  played: fc.record({ failures: fc.nat({ max: 2 }), runs_again: fc.boolean(), is_long: fc.boolean() }),
  attempts: fc.integer({ min: 1, max: 3 }),
  delay: fc.constantFrom(0, 0, 0, 60, 150),
  key: fc.constantFrom(null, null, 'one key'),
  exclusive: fc.constantFrom(null, null, 'wait', 'skip'),
})

const step: fc.Arbitrary<QueueStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('enqueue'),
      asked: fc.array(asked, { minLength: 1, maxLength: 4, size: 'max' }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('message'), pick, attempt: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'stop', 'requeue', 'delete'), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose messages') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('claim and crash') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('runner dies'),
      asked: fc.array(asked, { minLength: 1, maxLength: 4, size: 'max' }),
      after: fc.constantFrom(3, 10, 30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leases run out') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('pause', 'resume', 'lose alarm', 'evict', 'tick', 'let long jobs end'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait'), milliseconds: fc.constantFrom(1, 20, 80) }) },
)

export const queueHistory: fc.Arbitrary<QueueStep[]> = fc.array(step, { minLength: 4, maxLength: 18, size: 'max' })
