import { JobStopped, type JobContext } from './job.ts'
import type { ClaimedJob, Verdict } from './ledger/calls.ts'
import type { LedgerCalls } from './ledger/index.ts'
import { LEASE_MS } from './ledger/claims.ts'
import { orWarn } from '../lib/fallbacks.ts'
import { withTimeout } from '../lib/time.ts'
import { ledgerOf, reach } from './ledgers.ts'
import type { Connections } from './connections.ts'
import type { CallBatcher } from './call-batcher.ts'

export interface Invocation {
  batcher: CallBatcher
  connections: Connections
}

const HEARTBEAT_MS = 5000
/** The least time between two checkpoints that ask the ledger, in ms. */
const MIN_CHECK_MS = 500
/** How long a job waits for its ledger, in ms: what it has read so far must not wait for one that hangs. */
const MAX_ANSWER_MS = 2000

/** One attempt's lease on its job: renewed automatically while the attempt runs, and at each checkpoint. */
export class Lease {
  readonly #env: Env
  readonly #claimed: ClaimedJob
  readonly #invocation: Invocation
  readonly #timer: ReturnType<typeof setInterval>
  #verdict: Verdict = 'continue'
  #answeredAt = Date.now()
  #isAsking = false
  /** Whether the ledger did not answer the last time: then nothing waits for it. */
  #isSilent = false
  #isOver = false

  constructor(env: Env, claimed: ClaimedJob, invocation: Invocation) {
    this.#env = env
    this.#claimed = claimed
    this.#invocation = invocation
    this.#timer = setInterval(() => void this.#beat(), HEARTBEAT_MS)
  }

  /** Whether the job may now belong to another worker; if so, nothing is reported to the ledger. */
  get isLost(): boolean {
    return this.#verdict === 'lost'
  }

  /** Marks the attempt as over: anything of it that is still running stops at its next step. */
  end(): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  context(): JobContext {
    const { job, attempt, queue, deadline } = this.#claimed
    const { batcher, connections } = this.#invocation
    return {
      env: this.#env,
      job: { id: job, attempt, queue },
      now: () => Date.now(),
      deadline,
      checkpoint: async () => {
        if (Date.now() - this.#answeredAt >= MIN_CHECK_MS) await this.#ask()
        this.#check()
      },
      progress: (done, total, label) => this.#report((ledger) => ledger.progress(job, attempt, done, total, label)),
      log: (line) => this.#report((ledger) => ledger.log(job, attempt, line)),
      batched: (...asked) => batcher.call(...asked),
      connected: (work) => connections.run(work),
    }
  }

  #check(): void {
    if (this.#isOver) throw new JobStopped('This attempt is over.')
    if (this.#verdict === 'stop') throw new JobStopped('Someone stopped the job.')
    if (this.#verdict === 'lost') throw new JobStopped('The lease was lost.')
  }

  /** Progress and log lines are only for display, so a job does not fail because one was not stored. */
  async #report(call: (ledger: LedgerCalls) => Promise<Verdict>): Promise<void> {
    if (this.#isOver) throw new JobStopped('This attempt is over.')
    const reported = call(ledgerOf(this.#env, this.#claimed.queue)).then((verdict) => this.#take(verdict))
    await this.#await(reported, 'job_line_lost')
  }

  /** Asks for the verdict, unless that is being done. */
  async #ask(): Promise<void> {
    if (this.#isAsking || this.#isSilent) return
    this.#isAsking = true
    const asked = this.#beat().finally(() => (this.#isAsking = false))
    await this.#await(asked, 'checkpoint_unanswered')
  }

  /** Waits for the ledger, but only once until it answers again: the lease is renewed in the background. */
  async #await(answer: Promise<void>, event: string): Promise<void> {
    const inTime = withTimeout(answer, MAX_ANSWER_MS).catch((error: unknown) => {
      this.#isSilent = true
      throw error
    })
    const warned = orWarn(inTime, { event, job: this.#claimed.job }, undefined)
    if (!this.#isSilent) await warned
  }

  async #beat(): Promise<void> {
    const { job, attempt, queue } = this.#claimed
    try {
      this.#take(await reach(this.#env, queue, (ledger) => ledger.heartbeat(job, attempt)))
    } catch {
      this.#isSilent = true
      // There was no answer for longer than the lease, so another worker may have the job.
      if (Date.now() - this.#answeredAt > LEASE_MS) this.#verdict = 'lost'
    }
  }

  #take(verdict: Verdict): void {
    this.#answeredAt = Date.now()
    this.#isSilent = false
    if (this.#verdict === 'continue') this.#verdict = verdict
  }
}
