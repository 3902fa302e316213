import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { parameter, prepared, query, runIn } from '../../db/query.ts'
import type { Transaction } from './sql.ts'
import { inState, job } from './tables.ts'
import { count } from './tally.ts'

/** The most jobs that become due in one transaction; the alarm returns at once for the rest. */
const MAX_DUE = 1000

/** The running job that has the exclusive name of another. */
export const holder = alias(job, 'holder')
export const isHolder = and(inState('started', holder), eq(holder.exclusive_name, job.exclusive_name))

const moveDue = prepared(() => {
  const isDue = and(inState('scheduled'), lte(job.due_at, parameter('now')))
  const due = query.select({ seq: job.seq }).from(job).where(isDue).orderBy(job.due_at).limit(MAX_DUE)
  return query
    .update(job)
    .set({ state: 'queued', queued_at: parameter('now'), rung_at: null })
    .where(inArray(job.seq, due))
    .returning({ id: job.id })
})

export function queueDue(tx: Transaction): void {
  const moved = runIn(tx.sql, moveDue({ now: tx.now }))
  for (const { id } of moved) tx.touched.add(id)
  if (moved.length > 0) joinHeld(tx)
}

const join = prepared(() => {
  const skips = eq(job.when_held, 'skip').inlineParams()
  const isSkippingHolder = and(inState('started'), isNotNull(job.exclusive_name), skips)
  const held = query.select({ name: job.exclusive_name }).from(job).where(isSkippingHolder)
  const held_by = query.select({ id: holder.id }).from(holder).where(isHolder)
  return query
    .update(job)
    .set({
      state: 'finished',
      ended_at: parameter('now'),
      rung_at: null,
      error: null,
      result: sql`json_object('joined', json('true'), 'job', ${held_by})`,
    })
    .where(and(inState('queued'), skips, inArray(job.exclusive_name, held)))
    .returning({ id: job.id })
})

/** Ends queued jobs with `skip` whose exclusive name is held by a running job that also has `skip`. */
export function joinHeld(tx: Transaction): void {
  const joined = runIn(tx.sql, join({ now: tx.now }))
  for (const { id } of joined) tx.touched.add(id)
  count(tx, 'finished', joined.length)
}

const findHolder = prepared(() =>
  query
    .select({ id: job.id })
    .from(job)
    .where(and(inState('started'), eq(job.exclusive_name, parameter('name')))),
)

/** Whether a job with this exclusive name is running. */
export function isHeld({ sql: db }: Transaction, name: string | null): boolean {
  return name !== null && runIn(db, findHolder({ name })).length > 0
}
