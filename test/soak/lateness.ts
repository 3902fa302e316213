import { countSegments } from '../../src/notify/sms/segments.ts'
import { withDatabase } from './state.ts'

/** Something that delays messages for a while, ms since epoch: a provider's fault, or the app not running. */
export interface Disturbance {
  channel: 'phone' | 'email' | 'every'
  from: number
  to: number
}

export interface Sent {
  channel: string
  created_at: number
  accepted_at: number
  attempts: number
  /** Segments of an SMS; 1 for an email. */
  units: number
}

/**
 * The interval of units at the accounts' paces, in ms: a little longer than the pace, and one turn in five goes to
 * account email.
 */
const turnMs = { phone: 1000 * 1.1, email: 500 * 1.1 * 1.25 }
/** A message's time without its turn: the queue, the request, a busy machine. */
const MAX_WAY_MS = 10_000
/** The delays after failed attempts: three times as long each, plus up to a quarter. */
const firstWaitMs = 20_000 * 1.25
const MAX_WAIT_MS = 750_000
/** The longest pause after a provider refused. */
const MAX_PAUSE_MS = 75_000
/** After a disturbance: a requested pause, a lease that expires, the sweep, and the lookup of an ambiguous message. */
const MAX_RECOVERY_MS = 240_000

export interface Lateness {
  /** Seconds from each alert's creation to its acceptance, for those without a disturbance. */
  waits: number[]
  /** The same for the others. */
  disturbedWaits: number[]
  /** Those that were later than the queue at their provider and its faults explain, one sentence each. */
  late: string[]
}

/** The alerts that a provider accepted. @param startedAt earlier ones do not count, ms since epoch */
export function sentAlerts(stateDir: string, startedAt: number): Sent[] {
  const rows = withDatabase(
    stateDir,
    (database) =>
      database
        .prepare(
          `SELECT channel, created_at, accepted_at, attempts, iif(channel = 'phone', body ->> 'text', NULL) AS text FROM delivery
           WHERE accepted_at IS NOT NULL AND created_at >= ? AND channel IN ('phone', 'email') ORDER BY created_at, id`,
        )
        .all(startedAt) as unknown as (Omit<Sent, 'units'> & { text: string | null })[],
  )
  return rows.map(({ text, ...row }) => ({ ...row, units: text === null ? 1 : countSegments(text).segments }))
}

/** Judges them one by one, in the order of their creation. */
export function latenessOf(sent: readonly Sent[], disturbances: readonly Disturbance[]): Lateness {
  const found: Lateness = { waits: [], disturbedWaits: [], late: [] }
  const freeAt = new Map<string, number>()
  for (const { channel, created_at: made, accepted_at: accepted, attempts, units } of sent) {
    const turn = openAt(Math.max(made, freeAt.get(channel) ?? 0), channel, disturbances)
    const slot = channel === 'phone' ? turnMs.phone : turnMs.email
    freeAt.set(channel, turn + slot * units * Math.max(1, attempts))
    const met = disturbances.filter(
      (one) => (one.channel === 'every' || one.channel === channel) && one.from < accepted && one.to > made,
    )
    const recovering = met.length === 0 ? 0 : sum(met.map(({ from, to }) => to - from)) + MAX_RECOVERY_MS
    const allowed = turn - made + MAX_WAY_MS + waitsOf(attempts) + recovering
    const wait = (accepted - made) / 1000
    if (met.length === 0) found.waits.push(wait)
    else found.disturbedWaits.push(wait)
    if (wait > allowed / 1000) {
      const explained = `${Math.round(allowed / 1000)} s are explained (${attempts} tries, ${met.length} disturbances)`
      found.late.push(`late: by ${channel}, made ${new Date(made).toISOString()}, sent after ${wait} s; ${explained}`)
    }
  }
  return found
}

/** When the provider's queue moves again: a fault ends with a pause, and earlier messages precede later ones. */
function openAt(at: number, channel: string, disturbances: readonly Disturbance[]): number {
  let open = at
  for (const one of disturbances.toSorted((a, b) => a.from - b.from)) {
    const isOver = one.to + (one.channel === 'every' ? 0 : MAX_PAUSE_MS)
    if ((one.channel === 'every' || one.channel === channel) && one.from <= open && open < isOver) open = isOver
  }
  return open
}

/** For all attempts but the last. */
function waitsOf(attempts: number): number {
  return sum(
    Array.from({ length: Math.max(0, attempts - 1) }, (_, past) => Math.min(MAX_WAIT_MS, firstWaitMs * 3 ** past)),
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
