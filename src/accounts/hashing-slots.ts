import { tooMany } from '../web/refusal.ts'
import { hashPassword } from './password-hash.ts'

const MAX_HASHES = 2
const WAIT_MS = 25
const MAX_WAIT_MS = 8000
/** A slot becomes free after this time, because a canceled request may never release it. */
const MAX_HASH_MS = 5000

/** When each hash in progress in this isolate started, in ms. */
const underWay = new Set<{ since: number }>()

/**
 * At most two hashes at a time in an isolate: each takes 16 MiB and delays every other request. Waits by polling, as
 * one request may not wait for a promise of another. @throws tooMany after 8 s
 */
export async function withHashingSlot<Result>(work: () => Promise<Result>): Promise<Result> {
  const asked = Date.now()
  while (busySlots() >= MAX_HASHES) {
    if (Date.now() - asked > MAX_WAIT_MS)
      throw tooMany(5, 'Too many people are logging in. Please try again in a moment.')
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  const slot = { since: Date.now() }
  underWay.add(slot)
  try {
    return await work()
  } finally {
    underWay.delete(slot)
  }
}

/** The hash of a new password, with a new salt. @throws tooMany after 8 s */
export async function hashNewPassword(password: string): Promise<string> {
  return withHashingSlot(() => hashPassword(password, crypto.getRandomValues(new Uint8Array(16))))
}

function busySlots(): number {
  const now = Date.now()
  for (const slot of underWay) if (now - slot.since > MAX_HASH_MS) underWay.delete(slot)
  return underWay.size
}
