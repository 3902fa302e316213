import { isEnded } from '../../src/jobs/job.ts'
import { runTransaction } from '../../src/jobs/ledger/transaction.ts'
import type { BulkAct, Ending, ClaimedJob, QueueMessage } from '../../src/jobs/ledger/calls.ts'
import { actOn, actOnMany, pause, resume } from '../../src/jobs/ledger/acts.ts'
import { returnMessages } from '../../src/jobs/ledger/messages.ts'
import { claim, claimNext, heartbeat, progress } from '../../src/jobs/ledger/claims.ts'
import { endAll } from '../../src/jobs/ledger/endings.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { prune } from '../../src/jobs/ledger/prune.ts'
import { isPaused } from '../../src/jobs/ledger/settings.ts'
import { readJob } from '../../src/jobs/ledger/rows.ts'
import type { Sql, Transaction } from '../../src/jobs/ledger/sql.ts'
import type { StoredJob } from '../../src/jobs/ledger/tables.ts'
import type { Held, Outside, Step } from './history.ts'

/** Thrown for what a history must not show. */
export class Broken extends Error {}

function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Broken(what)
}

const by = 'one'

/** How a worker's step ends its attempt; null if it does not. */
function endingOf(step: Step, now: number): Ending | null {
  switch (step.do) {
    case 'finish':
      return { how: 'finished', result: '{}' }
    case 'stopped':
      return { how: 'stopped', reason: 'asked' }
    case 'give back':
      return { how: 'returned', reason: 'This version has no such job.' }
    case 'fail':
      return {
        how: 'failed',
        error: 'broken',
        retry_at: step.retryIn === null ? null : now + step.retryIn,
        gives_up: step.giveUp,
      }
    case 'again':
      return { how: 'again', at: now + step.delay, input: '{}', priority: null }
    default:
      return null
  }
}

type Seen = Pick<StoredJob, 'seq' | 'id' | 'key' | 'state' | 'attempt' | 'exclusive_name' | 'ended_at'>

/** A ledger's rules played against time, messages and faulty workers, with the promises checked at every step. */
export class PlayedLedger {
  readonly #sql: Sql
  readonly outside: Outside = { now: 1_790_000_000_000, alarm: null, messages: [], held: [] }
  /** Jobs whose cancellation was confirmed, by the attempt they had. */
  readonly #canceled = new Map<string, number>()
  /** Every attempt that was claimed: its effects outside of the ledger belong to it. */
  readonly #claimed = new Set<string>()
  #sendsFail = false

  constructor(sql: Sql) {
    this.#sql = sql
  }

  #transaction<Result>(call: (tx: Transaction) => Result): Result {
    const { outside } = this
    const ledger = { sql: this.#sql, queue: 'polls', now: outside.now } as const
    const { result, messages, wake_at } = runTransaction(ledger, call)
    if (wake_at !== null) outside.alarm = Math.min(outside.alarm ?? wake_at, wake_at)
    if (messages.length > 0 && this.#sendsFail) {
      this.#sendsFail = false
      this.#transaction((tx) => returnMessages(tx, messages, tx.now + 2000))
    } else outside.messages.push(...messages)
    return result
  }

  play(step: Step): void {
    this.#act(step)
    this.#check()
  }

  #act(step: Step): void {
    const { outside } = this
    if (step.do === 'enqueue') return this.#enqueue(step.request)
    if (step.do === 'deliver') return this.#deliver(step.pick, step.keep)
    if (step.do === 'lose message')
      return void outside.messages.splice(step.pick % Math.max(1, outside.messages.length), 1)
    if (step.do === 'ask')
      return this.#transaction((tx) => claimNext(tx, by, 1)).forEach((claimed) => this.#receive(claimed))
    if (step.do === 'act') return this.#ask(step.act, step.pick)
    if (step.do === 'bulk')
      return void this.#transaction((tx) => actOnMany(tx, { act: step.act, filter: {}, by: null }))
    if (step.do === 'pause') return void this.#transaction((tx) => pause(tx, 'somebody'))
    if (step.do === 'resume') return void this.#transaction((tx) => resume(tx, 'somebody'))
    if (step.do === 'prune') return void this.#transaction(prune)
    if (step.do === 'tick') return void this.#transaction(() => undefined)
    if (step.do === 'lose alarm') return void (outside.alarm = null)
    if (step.do === 'sends fail') return void (this.#sendsFail = true)
    if (step.do === 'wait') return this.#wait(step.milliseconds)
    const held = outside.held[step.pick % Math.max(1, outside.held.length)]
    if (held) this.#work(held, step)
  }

  #enqueue({ delay, ...request }: Extract<Step, { do: 'enqueue' }>['request']): void {
    const living =
      request.key === undefined ? null : this.#rows().find((row) => row.key === request.key && !isEnded(row.state))
    const [record] = this.#transaction((tx) =>
      enqueueAll(tx, [{ ...request, input: '{}', at: this.outside.now + delay }]),
    )
    must(record !== undefined, 'An enqueued job was not answered.')
    // What became due at the start of the turn may have ended the running one.
    if (living && record.id !== living.id)
      must(isEnded(this.#row(living.id)?.state ?? 'finished'), 'Two jobs of one key are alive.')
  }

  #deliver(pick: number, keep: boolean): void {
    const { messages } = this.outside
    const index = pick % Math.max(1, messages.length)
    const message = messages[index]
    if (!message) return
    if (!keep) messages.splice(index, 1)
    this.#claim(message)
  }

  #claim(message: QueueMessage): void {
    for (const claimed of this.#transaction((tx) => claim(tx, message, by))) {
      must(claimed.attempt === message.attempt, 'A message of another attempt started a job.')
      this.#receive(claimed)
    }
  }

  #receive(claimed: ClaimedJob): void {
    const { held, now } = this.outside
    for (const other of held) {
      if (other.claimed.job !== claimed.job) continue
      must(other.isOver || other.leaseUntil <= now, `${claimed.job} was given away under a live lease.`)
      must(other.claimed.attempt < claimed.attempt, 'An attempt was claimed twice.')
    }
    const row = this.#row(claimed.job)
    must(row !== null && row.tries <= row.attempts_limit, 'A job began more often than allowed.')
    must(!isPaused({ sql: this.#sql, queue: 'polls', now }), 'A paused queue started a job.')
    must(this.#canceled.get(claimed.job) !== claimed.attempt, 'A canceled job started.')
    must(!this.#replaces(row), 'A job began in place of one that was about to go on.')
    this.#claimed.add(`${claimed.job} ${claimed.attempt}`)
    held.push({ claimed, leaseUntil: claimed.lease_until, isOver: false })
  }

  /** Whether another job with its name had done a part of its work, and was to run again soon. */
  #replaces({ seq, attempt, exclusive_name: name, when_held, queued_at: queuedAt }: StoredJob): boolean {
    if (attempt > 1 || name === null || when_held !== 'skip') return false
    const others = this.#sql.rows(
      `SELECT seq FROM job WHERE exclusive_name = ? AND when_held = 'skip' AND state IN ('scheduled', 'queued')
        AND started_at IS NOT NULL AND tries = 0 AND returned_at IS NULL AND seq <> ? AND due_at < ?`,
      name,
      seq,
      (queuedAt ?? 0) + 60_000,
    )
    return others.length > 0
  }

  #work(held: Held, step: Step): void {
    const { job, attempt } = held.claimed
    const { now } = this.outside
    this.#transaction(() => undefined)
    const before = this.#row(job)
    const isMine = before?.state === 'started' && before.attempt === attempt
    must(isMine || held.isOver || held.leaseUntil <= now, 'A lease was lost before its time.')
    const ending = endingOf(step, now)
    const isBelieved = this.#transaction((tx) => {
      if (step.do === 'heartbeat') return heartbeat(tx, job, attempt) !== 'lost'
      if (step.do === 'progress') return progress(tx, job, attempt, 1, 2, 'half') !== 'lost'
      if (ending !== null) endAll(tx, [{ job, attempt, ending }])
      return true
    })
    const after = this.#row(job)
    if (!isMine) return must(JSON.stringify(before) === JSON.stringify(after), 'An old attempt changed its job.')
    const isRunning = after?.state === 'started' && after.attempt === attempt
    must(isBelieved && !(ending !== null && isRunning), 'The running attempt was not believed.')
    if (isRunning) held.leaseUntil = after.lease_until ?? 0
    else held.isOver = true
    const renewed = Math.min(now + 20_000, held.claimed.deadline + 10_000)
    must(step.do !== 'heartbeat' || held.leaseUntil >= renewed, 'A heartbeat did not renew its lease.')
  }

  #ask(act: BulkAct, pick: number): void {
    const rows = this.#rows()
    const chosen = rows[pick % Math.max(1, rows.length)]
    if (!chosen) return
    const answer = this.#transaction((tx) => actOn(tx, act, chosen.id, 'somebody'))
    if (answer.state === 'canceled' && answer.done) this.#canceled.set(chosen.id, this.#row(chosen.id)?.attempt ?? 0)
  }

  /** Time passes; an alarm that was not lost fires when it is due. */
  #wait(milliseconds: number): void {
    const { outside } = this
    const until = outside.now + milliseconds
    for (let alarms = 0; outside.alarm !== null && outside.alarm <= until; alarms += 1) {
      must(alarms < 1000, 'The alarm comes again and again with nothing to do.')
      outside.now = Math.max(outside.now, outside.alarm)
      outside.alarm = null
      this.#transaction(() => undefined)
      this.#check()
    }
    outside.now = until
  }

  /** Faults stop: messages arrive, workers finish. Every job must end within its bound. */
  settle(): void {
    const { outside } = this
    outside.held = []
    this.#sendsFail = false
    this.#transaction((tx) => resume(tx, null))
    for (let round = 0; this.#rows().some((row) => !isEnded(row.state)); round += 1) {
      must(round < 400, `A job never ended: ${JSON.stringify(this.#rows().find((row) => !isEnded(row.state)))}`)
      for (const message of outside.messages.splice(0)) this.#claim(message)
      for (const held of outside.held.splice(0)) this.#work(held, { do: 'finish', pick: 0 })
      this.#check()
      if (outside.messages.length === 0) this.#wait(Math.max(1, (outside.alarm ?? outside.now) - outside.now))
    }
    this.#checkRuns()
  }

  /** Every effect belongs to an attempt that the ledger knows, and the ledger knows no other. */
  #checkRuns(): void {
    const rows = this.#sql.rows<{ run: string }>(
      `SELECT id || ' ' || run.attempt AS run FROM run JOIN job ON seq = job`,
    )
    const runs = new Set(rows.map(({ run }) => run))
    for (const run of runs) must(this.#claimed.has(run), `Nobody was given ${run}.`)
    for (const { id, attempt } of this.#rows()) {
      const first = Math.max(1, attempt - 40)
      for (let number = first; number <= attempt; number += 1) {
        const run = `${id} ${number}`
        must(!this.#claimed.has(run) || runs.has(run), `${run} was given away and forgotten.`)
      }
    }
  }

  #row(job: string): StoredJob | null {
    return readJob(this.#sql, job)
  }

  #rows() {
    return this.#sql.rows<Seen>('SELECT seq, id, key, state, attempt, exclusive_name, ended_at FROM job ORDER BY seq')
  }

  #check(): void {
    const rows = this.#rows()
    const counters = this.#sql.rows<{ state: string; jobs: number }>('SELECT state, jobs FROM counter')
    for (const { state, jobs } of counters) {
      must(jobs === rows.filter((row) => row.state === state).length, `The counter of ${state} says ${jobs}.`)
    }
    const started = rows.filter((row) => row.state === 'started')
    const [worker] = this.#sql.rows<{ running: number }>('SELECT running FROM worker')
    must((worker?.running ?? 0) === started.length, 'The worker runs another number of jobs than it says.')
    const open = this.#sql
      .rows<{ job: number }>('SELECT job FROM run WHERE outcome IS NULL ORDER BY job')
      .map((run) => run.job)
    must(String(open) === String(started.map((row) => row.seq)), 'A run is open that is not started, or the reverse.')
    const names = started.flatMap((row) => row.exclusive_name ?? [])
    must(new Set(names).size === names.length, 'Two jobs of one exclusive name run.')
    const keys = rows.filter((row) => !isEnded(row.state)).flatMap((row) => row.key ?? [])
    must(new Set(keys).size === keys.length, 'Two jobs of one key are alive.')
    must(
      rows.every((row) => isEnded(row.state) === (row.ended_at !== null)),
      'A job has an end without having ended, or the reverse.',
    )
  }
}
