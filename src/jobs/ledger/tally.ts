import { and, gte, lt, sql, sum } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { excluded, parameter, prepared, query } from '../../db/query.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type CountedAct, countedActs, type MinuteCount } from './views.ts'
import type { Reader, Transaction } from './sql.ts'
import { tally } from './tables.ts'

type Measured = 'wait' | 'run'

/** How many jobs of a kind there were, by steps of the scale. */
export type Tallies = Map<string, Map<number, number>>

/** Each step of the scale is a fifth longer than the one before, so a percentile is accurate to a tenth. */
const STEP_FACTOR = 1.2

function bucketOf(milliseconds: number): number {
  return milliseconds < 1 ? 0 : 1 + Math.round(Math.log(milliseconds) / Math.log(STEP_FACTOR))
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.round(STEP_FACTOR ** (bucket - 1))
}

export function count(tx: Transaction, what: CountedAct, jobs = 1): void {
  if (jobs > 0) add(tx, what, 0, jobs)
}

export function measure(tx: Transaction, what: Measured, milliseconds: number): void {
  add(tx, what, bucketOf(milliseconds), 1)
}

function add({ tallies }: Transaction, what: string, bucket: number, jobs: number): void {
  const buckets = tallies.get(what) ?? new Map<number, number>()
  tallies.set(what, buckets.set(bucket, (buckets.get(bucket) ?? 0) + jobs))
}

const addJobs = prepared(() =>
  query
    .insert(tally)
    .values({
      minute: parameter('minute'),
      what: parameter('what'),
      bucket: parameter('bucket'),
      jobs: parameter('jobs'),
    })
    .onConflictDoUpdate({
      target: [tally.minute, tally.what, tally.bucket],
      set: { jobs: sql`${tally.jobs} + ${excluded(tally.jobs)}` },
    }),
)

export function writeTallies({ sql: db, now, tallies }: Transaction): void {
  const minute = Math.floor(now / MINUTE_MS)
  for (const [what, buckets] of tallies) {
    for (const [bucket, jobs] of buckets) runIn(db, addJobs({ minute, what, bucket, jobs }))
  }
}

/** Figures from `since` to `until` (ms) in steps of whole minutes, at most 1,500, including steps without jobs. */
export function readMinutes({ sql: db }: Reader, since: number, until: number, stepMinutes: number): MinuteCount[] {
  const step = Math.max(1, Math.trunc(stepMinutes))
  const from = Math.floor(since / MINUTE_MS / step)
  const to = Math.min(Math.ceil(until / MINUTE_MS / step), from + 1500)
  // Numbers are bound as REAL, so the quotient must be truncated.
  const slot = sql<number>`CAST(${tally.minute} / ${step} AS INTEGER)`.as('slot')
  const { what, bucket } = tally
  const order = [sql`${slot}`, what, bucket] as const
  const rows = runIn(
    db,
    query
      .select({ slot, what, bucket, jobs: sum(tally.jobs).mapWith(Number) })
      .from(tally)
      .where(and(gte(tally.minute, from * step), lt(tally.minute, to * step)))
      .groupBy(...order)
      .orderBy(...order),
  )
  const slots = Map.groupBy(rows, (row) => row.slot)
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => {
    const kinds = Map.groupBy(slots.get(from + index) ?? [], (row) => row.what)
    const jobs = Object.fromEntries(countedActs.map((what) => [what, kinds.get(what)?.[0]?.jobs ?? 0]))
    return {
      at: (from + index) * step * MINUTE_MS,
      ...(jobs as Record<CountedAct, number>),
      wait_p50: percentile(kinds.get('wait'), 0.5),
      wait_p95: percentile(kinds.get('wait'), 0.95),
      run_p50: percentile(kinds.get('run'), 0.5),
      run_p95: percentile(kinds.get('run'), 0.95),
    }
  })
}

function percentile(buckets: readonly { bucket: number; jobs: number }[] | undefined, share: number): number | null {
  if (!buckets || buckets.length === 0) return null
  let left = Math.ceil(share * buckets.reduce((sum, row) => sum + row.jobs, 0))
  for (const { bucket, jobs } of buckets) {
    left -= jobs
    if (left <= 0) return middleOf(bucket)
  }
  return null
}
