import { DurableObject } from 'cloudflare:workers'
import { isEnded, queueNames, type JobRecord, type QueueName } from '../job.ts'
import type { BulkAct, BulkRequest, EndedAttempt, JobRequest, QueueMessage, ScheduleRun, TakeRequest } from './calls.ts'
import type { JobFilter, JobListRequest, LedgerSettings } from './views.ts'
import { runTransaction } from './transaction.ts'
import { actOn, actOnMany, changeSettings, pause, resume } from './acts.ts'
import { readAudit } from './audit.ts'
import { returnMessages, sendMessages } from './messages.ts'
import { claim, claimNext, heartbeat, log, progress, shareOf } from './claims.ts'
import { readStats } from './counters.ts'
import { endAll } from './endings.ts'
import { enqueueAll } from './intake.ts'
import { prune, MAX_PRUNED } from './prune.ts'
import { readDetail, readJob, readTasks, toRecord } from './rows.ts'
import { prepareSchema } from './schema.ts'
import { noteSchedules, readSchedules, setSchedule } from './schedules.ts'
import { countMatches, listJobs } from './search.ts'
import { readPause, readSettings, writeTick } from './settings.ts'
import { closeCodes, end, Sockets } from './sockets.ts'
import { storageSql, type Reader, type Sql, type Transaction } from './sql.ts'
import { readMinutes } from './tally.ts'
import { readRunsOfWorker, readWorkers, readWorkersByName } from './workers.ts'

/**
 * How many transactions of one tick delete old jobs at most. Workers are served in between, and no queue fills faster.
 */
const MAX_PRUNING_TRANSACTIONS = 10

/** Every call from outside. One by an attempt that is no longer running changes nothing. */
export type LedgerCalls = Omit<Ledger, 'fetch' | 'alarm' | 'webSocketMessage' | 'webSocketClose'>

/**
 * The ledger of one queue: it decides which job runs, when, and how often. Every call is one transaction
 * (`transaction.ts`). This file has what only a Durable Object has: storage, the alarm, waiting callers, and sending
 * messages; the rules run on Node's SQLite in tests (`sql.ts`). Other modules use only {@link LedgerCalls} and the types
 * in `calls.ts` and `views.ts`.
 */
export class Ledger extends DurableObject<Env> {
  readonly #queue: QueueName
  readonly #sql: Sql
  readonly #waiters = new Waiters()
  readonly #sockets: Sockets
  #alarmAt: number | null = null
  #clock = 0
  #failedSends = 0

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    this.#queue = queueOf(context.id, env)
    this.#sql = storageSql(context.storage)
    prepareSchema(this.#sql)
    this.#sockets = new Sockets(context)
    void context.blockConcurrencyWhile(async () => {
      this.#alarmAt = await context.storage.getAlarm()
    })
  }

  /** Never goes backward, so that job numbers follow their times. */
  get #now(): number {
    this.#clock = Math.max(this.#clock, Date.now())
    return this.#clock
  }

  get #reader(): Reader {
    return { sql: this.#sql, queue: this.#queue, now: this.#now }
  }

  async #transaction<Result>(call: (tx: Transaction) => Result): Promise<Result> {
    const { result, touched, isQueueTouched, messages, wake_at } = runTransaction(this.#reader, call)
    this.#waiters.notify(touched)
    if (touched.size > 0 || isQueueTouched) this.#sockets.notify(touched)
    // Not awaited, because a queue that hangs must not delay the caller. The alarm is set for messages that were never
    // sent.
    if (messages.length > 0) this.ctx.waitUntil(this.#send(messages))
    await this.#wakeAt(wake_at)
    return result
  }

  async #wakeAt(at: number | null): Promise<void> {
    if (at === null) return
    // An early alarm finds nothing to do. Moving it back would cost a write per heartbeat.
    if (this.#alarmAt !== null && this.#alarmAt <= at) return
    this.#alarmAt = at
    await this.ctx.storage.setAlarm(at)
  }

  async #send(messages: QueueMessage[]): Promise<void> {
    await this.ctx.storage.sync()
    const unsent = await sendMessages(this.env, this.#queue, messages)
    if (unsent.length === 0) {
      this.#failedSends = 0
      return
    }
    this.#failedSends += 1
    const delay = Math.min(60_000, 1000 * 2 ** this.#failedSends)
    await this.#transaction((tx) => returnMessages(tx, unsent, tx.now + delay))
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null
    await this.#transaction(() => undefined)
  }

  /** The only request: a viewer whom the Worker allowed to watch. */
  override fetch(request: Request): Response {
    return this.#sockets.accept(request)
  }

  /** Viewers only listen: one that sends anything is disconnected. */
  override webSocketMessage(socket: WebSocket): void {
    end(socket, closeCodes.sentMessage)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    end(socket, code)
  }

  async closeSockets(tags: string[]) {
    return this.#sockets.close(tags)
  }

  /** In the order of the requests. A request whose `key` belongs to an unfinished job returns that job. */
  async enqueue(requests: JobRequest[]) {
    return this.#transaction((tx) => enqueueAll(tx, requests))
  }

  /** Takes reports on ended attempts, then returns new jobs; none if there are none or the queue is paused. */
  async take(worker: string, { ended, messages, count, running = 0 }: TakeRequest) {
    return this.#transaction((tx) => {
      endAll(tx, ended)
      const claimed = messages.flatMap((message) => claim(tx, message, worker))
      return [...claimed, ...claimNext(tx, worker, Math.min(count, shareOf(tx) - running) - claimed.length)]
    })
  }

  async heartbeat(job: string, attempt: number) {
    return this.#transaction((tx) => heartbeat(tx, job, attempt))
  }

  async progress(job: string, attempt: number, done: number, total: number, label: string) {
    return this.#transaction((tx) => progress(tx, job, attempt, done, total, label))
  }

  async log(job: string, attempt: number, line: string) {
    return this.#transaction((tx) => log(tx, job, attempt, line))
  }

  /** Safe to repeat. */
  async end(attempts: readonly EndedAttempt[]) {
    return this.#transaction((tx) => endAll(tx, attempts))
  }

  /** Waits until the job ends or the time is up (25 s at most). */
  async wait(job: string, milliseconds: number): Promise<JobRecord | null> {
    const read = () => readJob(this.#sql, job)
    await this.#waiters.wait(job, Math.min(25_000, milliseconds), () => {
      const row = read()
      return row === null || isEnded(row.state)
    })
    const row = read()
    return row && toRecord(row, this.#queue)
  }

  async get(job: string) {
    return readDetail(this.#reader, job)
  }

  async list(request: JobListRequest) {
    return listJobs(this.#reader, request)
  }

  async count(filter: JobFilter) {
    return countMatches(this.#reader, filter)
  }

  async tasks() {
    return readTasks(this.#reader)
  }

  async stats() {
    return readStats(this.#reader)
  }

  /** Null while the queue runs. */
  async currentPause() {
    return readPause(this.#reader)
  }

  async minutes(since: number, until: number, stepMinutes: number) {
    return readMinutes(this.#reader, since, until, stepMinutes)
  }

  async workers(includeGone: boolean) {
    return readWorkers(this.#reader, includeGone)
  }

  /** Those of the named workers that this ledger knows, alive or gone. */
  async workersNamed(names: readonly string[]) {
    return readWorkersByName(this.#reader, names)
  }

  async runs(worker: string, size: number) {
    return readRunsOfWorker(this.#reader, worker, size)
  }

  async audit(before: number | null, size: number) {
    return readAudit(this.#reader, before, size)
  }

  async settings() {
    return readSettings(this.#reader)
  }

  /** Of one job, for a person (null: the system). */
  async act(act: BulkAct, job: string, by: string | null) {
    return this.#transaction((tx) => actOn(tx, act, job, by))
  }

  async bulk(request: BulkRequest) {
    return this.#transaction((tx) => actOnMany(tx, request))
  }

  async pause(by: string | null) {
    return this.#transaction((tx) => pause(tx, by))
  }

  async resume(by: string | null) {
    return this.#transaction((tx) => resume(tx, by))
  }

  async set(settings: LedgerSettings, shown: LedgerSettings | null, by: string | null) {
    return this.#transaction((tx) => changeSettings(tx, settings, shown, by))
  }

  /** The schedules of the minute cron, stored only in the ledger of `maintenance`. */
  async schedules() {
    return readSchedules(this.#reader)
  }

  async noteSchedules(runs: ScheduleRun[]) {
    return this.#transaction((tx) => noteSchedules(tx, runs))
  }

  async setSchedule(name: string, isEnabled: boolean, by: string | null) {
    return this.#transaction((tx) => setSchedule(tx, name, isEnabled, by))
  }

  /** The minute cron: also repairs a lost alarm, closes old sockets and prunes. */
  async tick() {
    // Asks the platform instead of trusting memory: the transaction below sets a lost alarm again.
    this.#alarmAt = await this.ctx.storage.getAlarm()
    this.#sockets.closeOld()
    await this.#transaction(writeTick)
    for (let count = 1; count <= MAX_PRUNING_TRANSACTIONS; count += 1) {
      if ((await this.#transaction(prune)) < MAX_PRUNED) break
    }
  }
}

/** A ledger is named after its queue. Its id is compared because an alarm does not always have the name. */
function queueOf(id: DurableObjectId, env: Env): QueueName {
  const queue = queueNames.find((name) => env.LEDGER.idFromName(name).equals(id))
  if (!queue) throw new Error(`No queue belongs to the ledger ${id.name ?? id.toString()}.`)
  return queue
}

/** Callers waiting for a job to change. Kept in memory, because after a broken connection a caller asks again. */
class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(jobs: ReadonlySet<string>): void {
    for (const job of jobs) for (const check of this.#waiting.get(job) ?? []) check()
  }

  /** Resolves when `isEnough` agrees, now or after a change of the job, or after `milliseconds`. */
  async wait(job: string, milliseconds: number, isEnough: () => boolean): Promise<void> {
    if (isEnough()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => {
      if (isEnough()) resolve()
    }
    const waiting = this.#waiting.get(job) ?? new Set()
    this.#waiting.set(job, waiting.add(check))
    const timer = setTimeout(resolve, Math.max(0, milliseconds))
    await promise
    clearTimeout(timer)
    waiting.delete(check)
    if (waiting.size === 0) this.#waiting.delete(job)
  }
}
