import { tooMany } from '../web/refusal.ts'

const slots = 2
const waitMs = 25
const longestWaitMs = 8000
/** A request that was cut off may never give its slot back. */
const longestHashMs = 5000

/** When each hash under way in this isolate began, ms. */
const underWay = new Set<{ since: number }>()

/**
 * Lets at most two hashes run at once in an isolate: each takes 16 MiB and holds up every other request. Waiting is done by
 * looking again, as one request may not hand a promise to another.
 * @throws tooMany after 8 s
 */
export async function withHashingSlot<Result>(work: () => Promise<Result>): Promise<Result> {
  const asked = Date.now()
  while (busySlots() >= slots) {
    if (Date.now() - asked > longestWaitMs)
      throw tooMany(5, 'Too many people are logging in. Please try again in a moment.')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  const slot = { since: Date.now() }
  underWay.add(slot)
  try {
    return await work()
  } finally {
    underWay.delete(slot)
  }
}

function busySlots(): number {
  const now = Date.now()
  for (const slot of underWay) if (now - slot.since > longestHashMs) underWay.delete(slot)
  return underWay.size
}
