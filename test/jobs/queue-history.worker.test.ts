import * as fc from 'fast-check'
import { inject, test } from 'vitest'
import { PlayedQueue } from './played-queue.ts'
import { queueHistory } from './queue-history.ts'

const numRuns = inject('depth') > 1 ? 300 : 8

test(
  `${numRuns} random histories through real calls, queue, alarm and evictions break none of the ledger's promises`,
  { timeout: 1_200_000 },
  () =>
    fc.assert(
      fc.asyncProperty(queueHistory, async (steps) => {
        const played = await PlayedQueue.begin()
        for (const step of steps) await played.play(step)
        await played.settle()
      }),
      { numRuns },
    ),
)
