import { and, eq, gt, gte, isNull, lte, or } from 'drizzle-orm'
import { runIn } from '../../db/own-database.ts'
import { parameter, prepared, query } from '../../db/query.ts'
import { isEnded } from '../job.ts'
import { type ActResult, BULK_JOB, type BulkAct, type BulkRequest, type BulkResult } from './calls.ts'
import type { LedgerSettings } from './views.ts'
import { addToAudit, writeAudit } from './audit.ts'
import { holderOf } from './due.ts'
import { findUnfinishedByKey } from './intake.ts'
import { isSent } from './messages.ts'
import { changing, readJob } from './rows.ts'
import { searchJobs } from './search.ts'
import { isPaused, readSettings, refuseSetting, settingNames, writeValue } from './settings.ts'
import { scalar, type Transaction } from './sql.ts'
import { job, run, type StoredJob } from './tables.ts'
import { count } from './tally.ts'

const MAX_BULK_JOBS = 500

/** Performs one action on one job for a person (null: the system). Only completed actions are audited. */
export function actOn(tx: Transaction, act: BulkAct, id: string, by: string | null): ActResult {
  const row = readJob(tx.sql, id)
  if (!row) return { done: false, state: null, why: 'This job does not exist.' }
  const why = acts[act](tx, row)
  if (why !== '') return { done: false, state: row.state, why }
  tx.touched.add(row.id)
  writeAudit(tx, { who: by, act, job: id, jobs: 1 })
  return { done: true, state: readJob(tx.sql, id)?.state ?? null, why: '' }
}

/** Performs one action on chosen jobs, or on the next 500 that a filter matches. */
export function actOnMany(
  tx: Transaction,
  { act, jobs, filter, cursor, except, began_at, by }: BulkRequest,
): BulkResult {
  const isSkipped = (row: StoredJob) => row.id === except || (began_at !== undefined && !wasListed(tx, row, began_at))
  const chosen = (jobs ?? []).slice(0, MAX_BULK_JOBS).flatMap((id) => readJob(tx.sql, id) ?? [])
  const found = filter ? searchJobs(tx, filter, cursor ?? null, MAX_BULK_JOBS) : { rows: chosen, cursor: null }
  const rows = found.rows.filter((row) => !isSkipped(row))
  let done = 0
  let stopAsked = 0
  for (const row of rows) {
    if (acts[act](tx, row) !== '') continue
    tx.touched.add(row.id)
    done += 1
    if (row.state === 'started') stopAsked += 1
  }
  const detail = filter ? JSON.stringify(filter) : JSON.stringify(rows.map(({ id }) => id)).slice(0, 2000)
  const entry = { who: by, act, jobs: done, detail }
  if (done > 0 && (cursor === undefined || !addToAudit(tx, entry))) writeAudit(tx, entry)
  const asked = filter ? rows.length : (jobs ?? []).length
  return { done, stop_asked: stopAsked, refused: asked - done, cursor: found.cursor }
}

/** A job that has run more often since a person was asked counts as one that did not run then. */
const MAX_RUNS_SINCE = 100

/** A row if one of the job's last runs was under way at that time. */
const findRunAt = prepared(() =>
  query
    .select({ value: run.attempt })
    .from(run)
    .where(
      and(
        eq(run.job, parameter('seq')),
        gte(run.attempt, parameter('attempt')),
        lte(run.started_at, parameter('at')),
        or(isNull(run.ended_at), gt(run.ended_at, parameter('at'))),
      ),
    )
    .limit(1),
)

/** Whether a job was in the list that it is in now, even if it has left it since and come back. @param at ms since epoch */
function wasListed({ sql }: Transaction, row: StoredJob, at: number): boolean {
  const { seq, state, created_at, queued_at, started_at, ended_at } = row
  if (isEnded(state)) return Math.max(created_at, ended_at ?? 0) <= at
  if (state === 'queued') return Math.max(created_at, queued_at ?? 0) <= at
  if (state === 'started' && (started_at ?? Infinity) <= at) return true
  const ran = scalar(sql, findRunAt({ seq, attempt: row.attempt - MAX_RUNS_SINCE, at })) !== null
  return state === 'started' ? ran : created_at <= at && !ran
}

/** Jobs are accepted and running ones finish, but none start. @returns whether this changed anything */
export function pause(tx: Transaction, by: string | null): boolean {
  if (isPaused(tx)) return false
  writeValue(tx, 'paused_at', tx.now)
  writeValue(tx, 'paused', 1)
  runIn(tx.sql, query.update(job).set({ sent_at: null }).where(isSent))
  writeAudit(tx, { who: by, act: 'pause' })
  return true
}

/** Undoes {@link pause}. @returns whether this changed anything; if not, nothing is audited */
export function resume(tx: Transaction, by: string | null): boolean {
  if (!isPaused(tx)) return false
  writeValue(tx, 'paused', 0)
  writeAudit(tx, { who: by, act: 'resume' })
  return true
}

/**
 * Changes the settings that differ: valid ones, and only if they are still as `shown` (null: whatever they are).
 * @returns as they were before
 */
export function changeSettings(
  tx: Transaction,
  settings: LedgerSettings,
  shown: LedgerSettings | null,
  by: string | null,
): LedgerSettings {
  const before = readSettings(tx)
  const differing = (other: LedgerSettings) => settingNames.filter((name) => other[name] !== before[name])
  if (shown !== null && differing(shown).length > 0) return before
  for (const name of differing(settings)) {
    const value = settings[name]
    if (refuseSetting(name, value) !== '') continue
    writeValue(tx, name, value)
    writeAudit(tx, { who: by, act: 'set', detail: `${name} = ${value}` })
  }
  return before
}

/** The running job that this one would join, instead of running itself. */
function joinable(tx: Transaction, { exclusive_name: name, when_held: how }: StoredJob): string | null {
  const other = how === 'skip' ? holderOf(tx, name) : null
  return other?.when_held === 'skip' ? other.id : null
}

function change(tx: Transaction, { seq }: StoredJob, set: Partial<StoredJob>): void {
  runIn(tx.sql, changing(set)({ seq }))
}

/** Each action returns why it was refused; '' when it was done. */
const acts: Readonly<Record<BulkAct, (tx: Transaction, row: StoredJob) => string>> = {
  cancel(tx, row) {
    if (isEnded(row.state)) return `The job is already ${row.state}.`
    if (row.state === 'started') return acts.stop(tx, row)
    // Its earlier runs, if any, did not last until now.
    change(tx, row, { state: 'canceled', started_at: null, ended_at: tx.now, sent_at: null })
    count(tx, 'canceled')
    return ''
  },

  stop(tx, row) {
    if (row.state !== 'started') return 'The job is not running.'
    change(tx, row, { stop_asked: true })
    return ''
  },

  requeue(tx, row) {
    if (row.state === 'queued' || row.state === 'started') return `The job is already ${row.state}.`
    // It would act again on what matches by now, and nobody was asked about that. A failed one continues where it was.
    if (row.task === BULK_JOB && isEnded(row.state) && row.state !== 'failed')
      return 'An action on many jobs is not repeated. Start it again on the list of jobs.'
    const other =
      (row.key === null || row.state === 'scheduled' ? null : findUnfinishedByKey(tx, row.key)) ?? joinable(tx, row)
    if (other !== null) return `The job ${other} is already doing the same work.`
    change(tx, row, {
      state: 'queued',
      attempt: row.attempt + 1,
      tries: 0,
      returned_at: null,
      due_at: tx.now,
      queued_at: tx.now,
      started_at: null,
      ended_at: null,
      heartbeat_at: null,
      sent_at: null,
      stop_asked: false,
      worker: null,
      result: null,
      error: null,
      progress_done: 0,
      progress_total: 0,
      progress_label: '',
    })
    return ''
  },

  delete(tx, row) {
    if (row.state === 'started') return 'The job is running: stop it first.'
    runIn(tx.sql, query.delete(job).where(eq(job.seq, row.seq)))
    return ''
  },
}
