import { constantTimeEqual } from 'oslo/crypto'
import { base64url } from '../lib/bytes.ts'
import { fromBase64url } from '../web/security/signing.ts'
import { tooMany } from '../web/refusal.ts'

/** scrypt's costs: 2^`power` blocks of `blockSize`, `lanes` times. */
interface Cost {
  power: number
  blockSize: number
  lanes: number
}

/** One of OWASP's equivalent choices (Password Storage Cheat Sheet), the one that needs the least memory: 16 MiB. */
const currentCost: Cost = { power: 14, blockSize: 8, lanes: 5 }
const KEY_LENGTH = 32

/** `scrypt$14$8$5$salt$hash` (base64url). The hash contains the costs, so that they can be raised later. */
export async function hashPassword(password: string, salt: Uint8Array, cost: Cost = currentCost): Promise<string> {
  const key = await derive(password, salt, cost)
  return ['scrypt', cost.power, cost.blockSize, cost.lanes, base64url(salt), base64url(key)].join('$')
}

/** Whether the hash is of this password, compared in constant time. A hash that cannot be read matches nothing. */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const stored = readHash(hash)
  if (!stored) return false
  return constantTimeEqual(await derive(password, stored.salt, stored.cost), stored.key)
}

/** Whether the hash was made at other costs than a new one would be. It is then renewed at the next login. */
export function isOutdated(hash: string): boolean {
  const cost = readHash(hash)?.cost
  return (
    cost?.power !== currentCost.power || cost.blockSize !== currentCost.blockSize || cost.lanes !== currentCost.lanes
  )
}

function readHash(hash: string): { cost: Cost; salt: Uint8Array; key: Uint8Array } | null {
  const match = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(hash)
  if (!match) return null
  const [, power, blockSize, lanes, salt = '', key = ''] = match
  const stored = {
    cost: { power: Number(power), blockSize: Number(blockSize), lanes: Number(lanes) },
    salt: fromBase64url(salt),
    key: fromBase64url(key),
  }
  return stored.key.length === KEY_LENGTH ? stored : null
}

/** Two keyboards may type a character as different code points: NFKC makes them one (NIST SP 800-63B §3.1.1.2). */
function derive(password: string, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
  const { power, blockSize, lanes } = cost
  const options = { N: 2 ** power, r: blockSize, p: lanes, maxmem: 256 * blockSize * 2 ** power }
  // Importing the module would load Node's whole crypto library at every start of the Worker.
  const { scrypt }: typeof import('node:crypto') = process.getBuiltinModule('node:crypto')
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_LENGTH, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

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
