import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { runAgain, type JobContext } from '../../src/jobs/job.ts'
import type { Ledger } from '../../src/jobs/ledger/index.ts'
import { ledgerOf, tickLedgers } from '../../src/jobs/ledgers.ts'
import { nameWorker } from '../../src/jobs/run-available.ts'
import type { JobRunner } from '../../src/jobs/runners.ts'
import type { Asked, Played, QueueStep } from './queue-history.ts'
import { testJob } from './test-jobs.ts'
import { findJob } from '../worker/find-job.ts'

const queue = 'alerts'
/** Faults have stopped: by then every job must have ended. Enough for the slowest machine; usually a second. */
const boundMilliseconds = 120_000
/** The answer to a claim of this age whose job does not run here was lost, in ms. */
const unheardMilliseconds = 3000

/** Whatever happens, no attempt runs so long that the engine would end it, ms before its deadline. */
const longestMilliseconds = 10_000

const ledger = () => ledgerOf(env, queue)
const stubOf = () => (env.LEDGER as DurableObjectNamespace<Ledger>).get(env.LEDGER.idFromName(queue))

const runners = env.RUNNER as DurableObjectNamespace<JobRunner>
/** How long a runner asks for jobs, in ms. */
const askingMilliseconds = 60_000

function must(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what)
}

const nameOf = (job: string, attempt: number): string => `${job} ${attempt}`

/**
 * A real queue, its ledger and its consumers, played with faults: what the jobs themselves saw is compared with what
 * the ledger says. One at a time: the jobs find the current history in {@link PlayedQueue.current}.
 */
export class PlayedQueue {
  static current: PlayedQueue | null = null

  /** Attempts whose effects were seen, in order. */
  readonly #effects: string[] = []
  /** Attempts that are running, by job. */
  readonly #running = new Map<string, Set<number>>()
  /** Claims of workers that crashed, and claims whose answer was lost. */
  readonly #crashed = new Set<string>()
  /** Attempts whose lease is over, whatever they still do. */
  readonly #expired = new Set<string>()
  readonly #canceled = new Set<string>()
  /** How often a person requeued it: its attempts start over. */
  readonly #requeued = new Map<string, number>()
  readonly #asked = new Map<string, Asked>()
  readonly #broken: string[] = []
  #mayEnd = false

  private constructor() {
    PlayedQueue.current = this
  }

  /** Empties the queue, whatever the previous history left behind. */
  static async begin(): Promise<PlayedQueue> {
    const played = new PlayedQueue()
    await played.#setQueue(env.ALERTS_QUEUE)
    await runInDurableObject(stubOf(), (_, { storage }) => storage.sql.exec('DELETE FROM job').toArray())
    await ledger().resume(null)
    return played
  }

  /** What a job of the history does in one attempt. */
  async run({ job, checkpoint, deadline, now }: JobContext, input: Played & { ran_before: boolean }): Promise<unknown> {
    const name = nameOf(job.id, job.attempt)
    const others = this.#running.get(job.id) ?? new Set()
    if (this.#isLive(job.id) && !this.#expired.has(name)) this.#broken.push(`${name} began under a live lease.`)
    if (this.#effects.includes(name)) this.#broken.push(`${name} ran twice.`)
    this.#effects.push(name)
    this.#running.set(job.id, others.add(job.attempt))
    try {
      await this.#wait(name, 5)
      while (input.is_long && !this.#mayEnd && now() < deadline - longestMilliseconds) {
        await this.#wait(name, 20)
        await checkpoint()
      }
      const fails = this.#effects.filter((effect) => effect.startsWith(`${job.id} `)).length <= input.failures
      if (fails) throw new Error('Not yet.')
      return input.runs_again && !input.ran_before ? runAgain(now(), { ...input, ran_before: true }) : 'done'
    } finally {
      others.delete(job.attempt)
    }
  }

  async #wait(name: string, milliseconds: number): Promise<void> {
    await scheduler.wait(milliseconds)
    if (this.#crashed.has(name)) this.#broken.push(`${name} went on after its runner was ended.`)
  }

  async play(step: QueueStep): Promise<void> {
    await this.#act(step)
    await this.check()
  }

  async #act(step: QueueStep): Promise<void> {
    if (step.do === 'enqueue') return this.#enqueue(step.asked)
    if (step.do === 'message') return this.#message(step.pick, step.attempt)
    if ('pick' in step) return this.#ask(step.do, step.pick)
    if (step.do === 'lose messages') return this.#setQueue({ sendBatch: async () => undefined })
    if (step.do === 'claim and crash') return this.#claimAndCrash()
    if (step.do === 'runner dies') return this.#runAndKill(step.asked, step.after)
    if (step.do === 'leases run out') return this.#expire()
    if (step.do === 'pause') return void (await ledger().pause(null))
    if (step.do === 'resume') return void (await ledger().resume(null))
    if (step.do === 'lose alarm') return runInDurableObject(stubOf(), (_, { storage }) => storage.deleteAlarm())
    if (step.do === 'evict') return evictDurableObject(stubOf())
    if (step.do === 'tick') return tickLedgers(env)
    if (step.do === 'let long jobs end') return void (this.#mayEnd = true)
    if (step.do === 'wait') return scheduler.wait(step.milliseconds)
  }

  async #enqueue(asked: readonly Asked[]): Promise<void> {
    for (const one of asked) {
      const options = {
        at: Date.now() + one.delay,
        ...(one.key !== null && { key: one.key }),
        ...(one.exclusive !== null && { exclusive: { name: 'one', when_held: one.exclusive } }),
      }
      const job = { ...playedJob, limit: { ...playedJob.limit, attempts: one.attempts } }
      const { id } = await enqueue(env, job, { ...one.played, ran_before: false }, options)
      // If the key belonged to an unfinished job, the job keeps its first input.
      if (!this.#asked.has(id)) this.#asked.set(id, one)
    }
  }

  #pick(pick: number): string | null {
    return [...this.#asked.keys()][pick % Math.max(1, this.#asked.size)] ?? null
  }

  async #message(pick: number, attempt: number): Promise<void> {
    const job = this.#pick(pick)
    if (job !== null) await env.ALERTS_QUEUE.send({ job, attempt })
  }

  /** Messages of canceled jobs, and of all that ran, are delivered once more. */
  async #comeLate(): Promise<void> {
    const late = [...this.#canceled, ...this.#effects.slice(-20)]
    const messages = late
      .slice(0, 100)
      .map((name) => ({ job: name.split(' ')[0], attempt: Number(name.split(' ')[1]) }))
    if (messages.length === 0) return
    await env.ALERTS_QUEUE.sendBatch(messages.map((body) => ({ body })))
    // Whatever they would start has time to begin; on a very slow machine this finds less, and nothing fails.
    await scheduler.wait(50)
  }

  async #setQueue(sender: object): Promise<void> {
    await runInDurableObject(stubOf(), (instance: Ledger) => {
      Object.defineProperty(instance, 'env', { value: { ...env, ALERTS_QUEUE: sender }, configurable: true })
    })
  }

  async #claimAndCrash(): Promise<void> {
    for (const { job, attempt } of await ledger().take('doomed', { ended: [], messages: [], count: 1 })) {
      const name = nameOf(job, attempt)
      if (this.#isLive(job)) this.#broken.push(`${name} was given away under a live lease.`)
      if (this.#canceled.has(name)) this.#broken.push(`${name} started though it was canceled.`)
      this.#crashed.add(name)
    }
  }

  /** After this time without activity or reports of its jobs, in ms. */
  async #runAndKill(asked: readonly Asked[], after: number): Promise<void> {
    await this.#setQueue({ sendBatch: async () => undefined })
    await this.#enqueue(asked)
    const stub = runners.get(runners.idFromName(`${queue}-0`))
    const run = stub.run(queue, Date.now() + askingMilliseconds).catch(() => undefined)
    await scheduler.wait(after)
    await runInDurableObject(stub, (_, state) => state.abort('The runner is ended.')).catch(() => undefined)
    await run
    const worker = nameWorker(stub.id.toString())
    await runInDurableObject(stubOf(), (_, { storage }) => {
      const started = storage.sql
        .exec<{ id: string; attempt: number }>(
          `SELECT id, attempt FROM job WHERE state = 'started' AND worker = ?`,
          worker,
        )
        .toArray()
      for (const { id, attempt } of started) {
        this.#crashed.add(nameOf(id, attempt))
        this.#running.get(id)?.delete(attempt)
      }
    })
  }

  #isLive(job: string): boolean {
    return [...(this.#running.get(job) ?? [])].some((attempt) => !this.#expired.has(nameOf(job, attempt)))
  }

  async #ask(act: 'cancel' | 'stop' | 'requeue' | 'delete', pick: number): Promise<void> {
    const job = this.#pick(pick)
    if (job === null) return
    const answer = await ledger().act(act, job, 'ada')
    if (!answer.done) return
    if (act === 'requeue') this.#requeued.set(job, (this.#requeued.get(job) ?? 0) + 1)
    if (act === 'delete') this.#asked.delete(job)
    if (act === 'cancel' && answer.state === 'canceled') {
      const attempt = (await findJob(env, job))?.attempt ?? 0
      this.#canceled.add(nameOf(job, attempt))
    }
  }

  /** Expires the leases of everything that was claimed and is not running. */
  async #expire(): Promise<void> {
    const before = Date.now() - unheardMilliseconds
    await runInDurableObject(stubOf(), (_, { storage }) => {
      const started = storage.sql
        .exec<{ id: string; attempt: number; started_at: number }>(
          `SELECT id, attempt, started_at FROM job WHERE state = 'started'`,
        )
        .toArray()
      for (const { id, attempt, started_at } of started) {
        const name = nameOf(id, attempt)
        const isUnheard = !this.#effects.includes(name) && started_at < before
        if (!this.#crashed.has(name) && !isUnheard) continue
        this.#expired.add(name)
        storage.sql.exec('UPDATE job SET lease_until = 0 WHERE id = ?', id)
      }
    })
  }

  /** Faults stop: messages are delivered, crashed workers lose their jobs. Every job must end within its bound. */
  async settle(): Promise<void> {
    const giveUpAt = Date.now() + boundMilliseconds
    await this.#setQueue(env.ALERTS_QUEUE)
    await ledger().resume(null)
    await this.#comeLate()
    for (;;) {
      this.#mayEnd = true
      await this.#expire()
      // A message counts as lost after a minute, which has passed.
      await runInDurableObject(stubOf(), (_, { storage }) => {
        storage.sql.exec(`UPDATE job SET rung_at = 0 WHERE state = 'queued' AND rung_at < ?`, Date.now() - 1000)
      })
      await tickLedgers(env)
      await this.check()
      const { counts } = await ledger().stats()
      const isRunning = [...this.#running.values()].some((attempts) => attempts.size > 0)
      if (counts.queued + counts.scheduled + counts.started === 0 && !isRunning) break
      must(Date.now() < giveUpAt, `Some jobs never end: ${JSON.stringify(counts)}`)
      await scheduler.wait(40)
    }
    await this.#checkEnds()
  }

  /** What is true at all times. */
  async check(): Promise<void> {
    const [broken] = this.#broken
    must(broken === undefined, broken ?? '')
    for (const name of this.#effects) must(!this.#canceled.has(name), `${name} started though it was canceled.`)
    await runInDurableObject(stubOf(), (_, { storage }) => {
      const counted = storage.sql
        .exec<{ state: string; jobs: number; counted: number }>(
          'SELECT state, jobs, (SELECT count(*) FROM job WHERE job.state = counter.state) AS counted FROM counter',
        )
        .toArray()
      for (const { state, jobs, counted: recount } of counted)
        must(jobs === recount, `The counter of ${state} says ${jobs}, a recount ${recount}.`)
    })
  }

  /** What the jobs did must match the ledger. */
  async #checkEnds(): Promise<void> {
    for (const [id, { attempts, played }] of this.#asked) {
      const job = await findJob(env, id)
      must(job !== null, `${id} is gone.`)
      const runs = new Set(job.runs.map(({ attempt }) => nameOf(id, attempt)))
      const effects = this.#effects.filter((effect) => effect.startsWith(`${id} `))
      for (const effect of effects) must(runs.has(effect), `${effect} was never claimed.`)
      must(job.tries <= attempts, `${id} has had ${job.tries} tries of ${attempts}.`)
      const lives = 1 + (this.#requeued.get(id) ?? 0) * (played.runs_again ? 2 : 1) + (played.runs_again ? 1 : 0)
      must(runs.size <= attempts * lives, `${id} ran ${runs.size} times with ${attempts} attempts.`)
      must(
        job.runs.every((run) => run.outcome !== null),
        `${id} has ended while it runs.`,
      )
    }
  }
}

const playedJob = testJob(
  queue,
  async (context, input) => PlayedQueue.current?.run(context, input as unknown as Played & { ran_before: boolean }),
  { run_seconds: 20 },
)
