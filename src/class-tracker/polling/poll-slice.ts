import type { JobContext } from '../../jobs/job.ts'
import { timedOut } from '../../sources/answer.ts'
import { judge } from '../../sources/judge.ts'
import { BudgetSpent, type GroupSeats } from '../../sources/source.ts'
import { absenceOf } from './absence.ts'
import { announce } from './announce.ts'
import { openLane } from './open-lane.ts'
import { mayAlert, proposeChanges, type Proposal } from './openings.ts'
import { recordObservations, type BelievedGroup } from './record-observations.ts'
import {
  failuresBeforePause,
  groupsFailed,
  groupsForgiven,
  pauseAfter,
  sourceAnswered,
  sourceFailed,
} from './source-health.ts'
import type { PolledGroup, PolledSource } from './watched-groups.ts'

/** Openings wait this long for others of the same poll, so that one recipient gets one message. */
const gatherMs = 1000
/** Unknown answers in a row after which a slice stops asking: the school is down, not one group. */
const enoughFailures = 4
/** Changes one batch writes at most: their JSON stays well under the megabyte an argument may have. */
const mostProposals = 5000

/** One run over the due groups: collects answers, flushes openings early and the rest at the end. */
export class PollSlice {
  answered = 0
  believed = 0
  openings = 0
  requests = 0
  retryAt = 0
  pausedUntil: number | null = null
  private failuresInARow = 0
  private isLimited = false
  private readonly failed: { group_id: number; why: string }[] = []
  private retryAfterSeconds: number | null = null
  private proposals: Proposal[] = []
  private groups: BelievedGroup[] = []
  private firstOpeningAt: number | null = null
  private readonly context: JobContext
  private readonly source: PolledSource
  private readonly due: readonly PolledGroup[]

  constructor(context: JobContext, source: PolledSource, due: readonly PolledGroup[]) {
    this.context = context
    this.source = source
    this.due = due
  }

  async run(termSizes: ReadonlyMap<string, number>): Promise<void> {
    if (this.due.length === 0) return
    const { now } = this.context
    // What is left after the deadline pays for the writes.
    const deadline = Math.min(this.context.deadline, now() + 20_000) - 3000
    const opened = await openLane(this.context.env, this.source, { now, deadline })
    const watched = this.due.map((group) => group.watched)
    try {
      for await (const answer of opened.lane.seats(watched, termSizes)) {
        this.take(answer)
        if (this.isFull()) await this.flush()
        if (this.failuresInARow >= enoughFailures || this.isLimited || now() > deadline) break
        await this.context.checkpoint()
      }
    } catch (error) {
      if (error instanceof BudgetSpent && error.retry_at > now()) this.retryAt = error.retry_at
      else if (error instanceof BudgetSpent || now() >= deadline) this.giveUpFirst(opened.requests())
      else throw error
    } finally {
      this.requests = opened.requests()
      await this.flush()
    }
  }

  /**
   * Writes the slice's health: what was not believed, and whether the source as a whole answers. A look at one group says
   * nothing about the source when it fails, and neither does a slice of a round in which others were `believed`.
   */
  async settle(round: { isLook: boolean; believed: number; requests: number | null }): Promise<void> {
    const { env, now } = this.context
    const at = now()
    const statements: D1PreparedStatement[] = []
    const { id, failures: failuresBefore } = this.source
    if (this.believed > 0 && failuresBefore >= failuresBeforePause) statements.push(groupsForgiven(env.DB, id))
    if (this.failed.length > 0) statements.push(groupsFailed(env.DB, at, this.failed))
    if (this.believed > 0) statements.push(sourceAnswered(env.DB, id, at, round.requests))
    const isDown = !round.isLook && this.failed.length > 0 && this.believed + round.believed === 0
    if (isDown || this.retryAfterSeconds !== null) {
      const failures = isDown ? failuresBefore + 1 : this.believed > 0 ? 0 : failuresBefore
      const pause = pauseAfter(failures, this.retryAfterSeconds)
      this.pausedUntil = pause > 0 ? at + pause : null
      statements.push(sourceFailed(env.DB, id, at, failures, this.pausedUntil, this.failed.at(-1)?.why ?? ''))
    }
    if (statements.length > 0) await env.DB.batch(statements)
  }

  private take({ index, answer }: GroupSeats): void {
    const group = this.due[index]
    if (!group) return
    const at = this.context.now()
    this.answered += 1
    if (!answer.known) {
      this.failuresInARow += 1
      this.failed.push({ group_id: group.id, why: answer.why })
      // Whatever is asked after this would only be refused unasked.
      this.isLimited ||= answer.reason === 'limited'
      if (answer.retry_after_seconds !== null)
        this.retryAfterSeconds = Math.max(this.retryAfterSeconds ?? 0, answer.retry_after_seconds)
      return
    }
    this.failuresInARow = 0
    this.believed += 1
    const seats = answer.value.seen.map(judge)
    const absence = absenceOf(group.sections, seats, group.has_error)
    this.groups.push({ source_id: this.source.id, group_id: group.id, at, absence })
    const proposals = proposeChanges(group.sections, seats)
    this.proposals.push(...proposals)
    const known = new Map(group.sections.map((section) => [section.id, section]))
    const alerts = proposals.some((proposal) =>
      mayAlert(proposal, { new_watch_count: known.get(proposal.section_id)?.new_watch_count ?? 0 }),
    )
    if (alerts) this.firstOpeningAt ??= at
  }

  /** Whether what was gathered is to be written now. */
  private isFull(): boolean {
    if (this.proposals.length >= mostProposals) return true
    return this.firstOpeningAt !== null && this.context.now() - this.firstOpeningAt >= gatherMs
  }

  /** A run that was too short for even one answer: without this, a school that hangs would be asked the same again for ever. */
  private giveUpFirst(requests: number): void {
    if (this.answered > 0 || requests === 0) return
    this.take({ index: 0, asked_at: this.context.now(), answer: timedOut('answer', 'one run') })
  }

  /** Writes what was gathered, then rings for what was written: a crash between the two is mended by the minute sweep. */
  private async flush(): Promise<void> {
    const { env, job, now } = this.context
    if (this.groups.length === 0) return
    const proposals = this.proposals
    const groups = this.groups
    this.proposals = []
    this.groups = []
    this.firstOpeningAt = null
    const recorded = await recordObservations(env.DB, `${job.id}.${crypto.randomUUID()}`, now(), proposals, groups)
    this.openings += recorded.openings
    await announce(env, recorded)
  }
}
