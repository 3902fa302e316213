import { and, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn, unionAll } from 'drizzle-orm/sqlite-core'
import { firstIn, runIn } from '../../db/own-database.ts'
import { parameter, prepared, query } from '../../db/query.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { JobState } from '../../lib/contract.ts'
import type { Transaction } from './sql.ts'
import { inState, job } from './tables.ts'
import { count } from './tally.ts'

/** The most jobs that become due in one transaction; the alarm returns at once for the rest. */
const MAX_DUE = 1000

/** A job that runs again within this time stands for others: even a small share of a budget is available by then. */
const SOON_MS = 5 * MINUTE_MS

/** The running job that has the exclusive name of another. */
export const holder = alias(job, 'holder')
export const isHolder = and(inState('started', holder), eq(holder.exclusive_name, job.exclusive_name))

const moveDue = prepared(() => {
  const isDue = and(inState('scheduled'), lte(job.due_at, parameter('now')))
  const due = query.select({ seq: job.seq }).from(job).where(isDue).orderBy(job.due_at).limit(MAX_DUE)
  return query
    .update(job)
    .set({ state: 'queued', queued_at: parameter('now'), sent_at: null })
    .where(inArray(job.seq, due))
    .returning({ id: job.id })
})

export function queueDue(tx: Transaction): void {
  const moved = runIn(tx.sql, moveDue({ now: tx.now }))
  for (const { id } of moved) tx.touched.add(id)
  if (moved.length > 0) joinHeld(tx)
}

const skips = (of: { when_held: SQLiteColumn }): SQL => eq(of.when_held, 'skip').inlineParams()

/** Whether it has run and asked to run again. One that failed, or that a person requeued, does not stand for others. */
const isContinuing = and(isNotNull(holder.started_at), eq(holder.tries, 0).inlineParams(), isNull(holder.returned_at))

/** `unlikely` makes SQLite begin with the few holders: of what waits in a paused queue there is no limit. */
const holding = (state: JobState, isRunning: boolean, condition?: SQL) =>
  query
    .select({
      held_by: sql`${holder.id}`.as('held_by'),
      name: holder.exclusive_name,
      is_running: sql.raw(isRunning ? '1' : '0').as('is_running'),
    })
    .from(holder)
    .where(and(inState(state, holder), isNotNull(holder.exclusive_name), sql`unlikely(${skips(holder)})`, condition))

const join = prepared(() => {
  // With +, the index of all jobs that are due soon is not used: few of them have run.
  const isComing = and(isContinuing, sql`+${holder.due_at} <= ${parameter('soon')}`)
  const waiting = [holding('scheduled', false, isComing), holding('queued', false, isComing)] as const
  const held = unionAll(holding('started', true), ...waiting).as('held')
  return query
    .update(job)
    .set({
      state: 'finished',
      started_at: null,
      ended_at: parameter('now'),
      sent_at: null,
      error: null,
      result: sql`json_object('joined', json('true'), 'job', ${held.held_by})`,
    })
    .from(held)
    .where(
      and(
        inState('queued'),
        skips(job),
        eq(job.exclusive_name, held.name),
        or(held.is_running, isNull(job.started_at)),
      ),
    )
    .returning({ id: job.id })
})

/**
 * Ends queued jobs with `skip` whose exclusive name is held by a running job that also has `skip`. Those that have not
 * run yet also join one that is between two runs, because it would lose what it has done so far; but only if its next
 * run is soon.
 */
export function joinHeld(tx: Transaction): void {
  const joined = runIn(tx.sql, join({ now: tx.now, soon: tx.now + SOON_MS }))
  for (const { id } of joined) tx.touched.add(id)
  count(tx, 'finished', joined.length)
}

const findHolder = prepared(() =>
  query
    .select({ id: job.id, when_held: job.when_held })
    .from(job)
    .where(and(inState('started'), eq(job.exclusive_name, parameter('name')))),
)

/** The running job with this exclusive name; null without one. */
export function holderOf({ sql: db }: Transaction, name: string | null) {
  return name === null ? null : firstIn(db, findHolder({ name }))
}
