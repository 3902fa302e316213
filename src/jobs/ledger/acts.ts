import { eq } from 'drizzle-orm'
import { query, runIn } from '../../db/query.ts'
import type { Act, BulkAct, BulkRequest, BulkResult } from './calls.ts'
import type { LedgerSettings } from './views.ts'
import { addToAudit, writeAudit } from './audit.ts'
import { isHeld, joinHeld } from './due.ts'
import { findUnfinishedByKey } from './intake.ts'
import { isSent } from './messages.ts'
import { changing, isEnded, readJob } from './rows.ts'
import { searchJobs } from './search.ts'
import { isPaused, refuseSetting, writeMark } from './settings.ts'
import type { Turn } from './sql.ts'
import { job, type StoredJob } from './tables.ts'
import { count } from './tally.ts'

const MAX_BULK_JOBS = 500

/** Performs one action on one job for a person (null: the system). Only completed actions are audited. */
export function actOn(turn: Turn, act: BulkAct, id: string, by: string | null): Act {
  const row = readJob(turn.sql, id)
  if (!row) return { done: false, state: null, why: 'This job does not exist.' }
  const why = acts[act](turn, row)
  if (why !== '') return { done: false, state: row.state, why }
  turn.touched.add(row.id)
  writeAudit(turn, { who: by, act, job: id, jobs: 1 })
  return { done: true, state: readJob(turn.sql, id)?.state ?? null, why: '' }
}

/** Performs one action on chosen jobs, or on the next 500 that a filter matches. */
export function actOnMany(turn: Turn, { act, jobs, filter, cursor, except, began_at, by }: BulkRequest): BulkResult {
  const isSkipped = ({ id, ended_at }: StoredJob) =>
    id === except || (act === 'requeue' && (ended_at ?? 0) > (began_at ?? Number.POSITIVE_INFINITY))
  const chosen = (jobs ?? []).slice(0, MAX_BULK_JOBS).flatMap((id) => readJob(turn.sql, id) ?? [])
  const found = filter ? searchJobs(turn, filter, cursor ?? null, MAX_BULK_JOBS) : { rows: chosen, cursor: null }
  const rows = found.rows.filter((row) => !isSkipped(row))
  let done = 0
  let stopAsked = 0
  for (const row of rows) {
    if (acts[act](turn, row) !== '') continue
    turn.touched.add(row.id)
    done += 1
    if (row.state === 'started') stopAsked += 1
  }
  const detail = filter ? JSON.stringify(filter) : JSON.stringify(rows.map(({ id }) => id)).slice(0, 2000)
  const entry = { who: by, act, jobs: done, detail }
  if (done > 0 && (cursor === undefined || !addToAudit(turn, entry))) writeAudit(turn, entry)
  const asked = filter ? rows.length : (jobs ?? []).length
  return { done, stop_asked: stopAsked, refused: asked - done, cursor: found.cursor }
}

/** Jobs are accepted and running ones finish, but none start. @returns whether this changed anything */
export function pause(turn: Turn, by: string | null): boolean {
  if (isPaused(turn)) return false
  writeMark(turn, 'paused_at', turn.now)
  writeMark(turn, 'paused', 1)
  runIn(turn.sql, query.update(job).set({ rung_at: null }).where(isSent))
  writeAudit(turn, { who: by, act: 'pause' })
  return true
}

/** Undoes {@link pause}. @returns whether this changed anything; if not, nothing is audited */
export function resume(turn: Turn, by: string | null): boolean {
  if (!isPaused(turn)) return false
  writeMark(turn, 'paused', 0)
  writeAudit(turn, { who: by, act: 'resume' })
  return true
}

/** @returns why it was refused; '' when it was done */
export function changeSetting(turn: Turn, name: keyof LedgerSettings, value: number, by: string | null): string {
  const why = refuseSetting(name, value)
  if (why !== '') return why
  writeMark(turn, name, value)
  writeAudit(turn, { who: by, act: 'set', detail: `${name} = ${value}` })
  return ''
}

function change(turn: Turn, { seq }: StoredJob, set: Partial<StoredJob>): void {
  runIn(turn.sql, changing(set)({ seq }))
}

/** Each action returns why it was refused; '' when it was done. */
const acts: Readonly<Record<BulkAct, (turn: Turn, row: StoredJob) => string>> = {
  cancel(turn, row) {
    if (isEnded(row.state)) return `The job is already ${row.state}.`
    if (row.state === 'started') return acts.stop(turn, row)
    change(turn, row, { state: 'canceled', ended_at: turn.now, rung_at: null })
    count(turn, 'canceled')
    return ''
  },

  stop(turn, row) {
    if (row.state !== 'started') return 'The job is not running.'
    change(turn, row, { stop_asked: true })
    return ''
  },

  requeue(turn, row) {
    if (row.state === 'queued' || row.state === 'started') return `The job is already ${row.state}.`
    const other = row.key === null || row.state === 'scheduled' ? null : findUnfinishedByKey(turn, row.key)
    if (other !== null) return `The job ${other} is already doing the same work.`
    change(turn, row, {
      state: 'queued',
      attempt: row.attempt + 1,
      tries: 0,
      returned_at: null,
      due_at: turn.now,
      queued_at: turn.now,
      started_at: null,
      ended_at: null,
      heartbeat_at: null,
      rung_at: null,
      stop_asked: false,
      worker: null,
      result: null,
      error: null,
      progress_done: 0,
      progress_total: 0,
      progress_label: '',
    })
    if (isHeld(turn, row.exclusive_name)) joinHeld(turn)
    return ''
  },

  delete(turn, row) {
    if (row.state === 'started') return 'The job is running: stop it first.'
    runIn(turn.sql, query.delete(job).where(eq(job.seq, row.seq)))
    return ''
  },
}
