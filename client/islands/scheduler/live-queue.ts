import type { QueueRow } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'

/** A queue as a frame tells of it: it has just answered. */
export const liveQueue = (before: QueueRow, queue: LiveFrame['queue']): QueueRow => ({
  ...queue,
  stops: before.stops,
  is_reachable: true,
})
