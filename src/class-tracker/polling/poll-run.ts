import { type Query, writeTogether } from '../../db/query.ts'
import type { JobContext } from '../../jobs/job.ts'
import { counted } from '../../lib/text.ts'
import { timedOut, type Unknown, unknown } from '../../sources/answer.ts'
import { BudgetSpent, type GroupSeats } from '../../sources/source.ts'
import { absenceOf } from './absence.ts'
import type { DoubtedOpening } from './second-look-rules.ts'
import { burstOf, openLane, WINDOW_MS } from './open-lane.ts'
import type { OpeningTally } from './opening-tally.ts'
import {
  countOpenings,
  isImplausible,
  judged,
  looksImplausible,
  mayAlert,
  notOpenIn,
  proposeChanges,
  type Proposal,
} from './openings.ts'
import { announce, type BelievedGroup, recordObservations } from './record-observations.ts'
import { SecondLook } from './second-look.ts'
import {
  limitAfter,
  MAX_FAILURES_BEFORE_PAUSE,
  recordFailedGroups,
  resetGroupFailures,
  pauseAfter,
  recordSourceAnswer,
  rememberMemo,
  recordSourceFailure,
} from './source-health.ts'
import type { PolledGroup, PolledSource } from './watched-groups.ts'

/** How long openings wait for others of the same poll, so that a recipient gets one message. */
const GATHER_MS = 1000
/** After this many unknown answers in a row a run stops: the school is down, not just one group. */
const MAX_FAILURES_IN_A_ROW = 4
/** The most changes in one batch: their JSON stays well under D1's limit for an argument. */
const MAX_PROPOSALS = 5000
/** So many runs in a row may go on with one group without an answer about it. */
const MAX_CUT_OFF_RUNS = 8
/** The first group of a run is tried so often while other jobs use its requests; the groups after it wait meanwhile. */
const MAX_TRIES_IN_VAIN = 3
/** Time that a run reserves for second looks and for writing, in ms. */
const WRITING_MS = 5000

/** The state of the round before this run. */
interface RoundSoFar {
  /** The time (ms since epoch) before the groups were read. */
  known_at: number
  /** All watched sections of the source. */
  watched: number
  /** Openings recorded by earlier runs of the round, and the watched sections that they read. */
  opened: number
  sections_read: number
  /** Groups that are read a second time because too many sections seemed to open: this answer is believed. */
  reread: ReadonlySet<number>
  tally: OpeningTally
  doubts: ReadonlyMap<number, DoubtedOpening>
  /** Whether a round needs all of the source's requests, which must then go out evenly. */
  is_scarce: boolean
  /** Whether only the group of a new watch is read: a round may be waiting to read the others' openings again. */
  is_at_once: boolean
  /** How many runs in a row before this one sent requests in vain. */
  tries_in_vain: number
  /** How many runs before this one sent requests and answered for no group. */
  cut_off_runs: number
}

/** A believed answer that is about to be written. */
interface Gathered {
  group: PolledGroup
  believed: BelievedGroup
  proposals: Proposal[]
}

/** One run over the due groups: collects answers, writes openings early and everything else at the end. */
export class PollRun {
  answered = 0
  believed = 0
  /** Openings written, including those for new watches of open sections. */
  openings = 0
  /** Sections that turned open. */
  opened = 0
  retryAt = 0
  /** Whether the budget was spent before the first group was read, so that the requests sent were in vain. */
  isInVain = false
  pausedUntil: number | null = null
  /** Groups in which too many sections seemed to open: none of their answers was kept. */
  readonly suspects: number[] = []
  /** Sections that seemed to open in them. */
  suspected = 0
  /** Watched sections in the answers that were kept. */
  sectionsRead = 0
  readonly looks: SecondLook
  /** The lane's memo for the next poll. */
  #memo: string | null = null
  #listRequests = 0
  #failuresInARow = 0
  #isLimited = false
  /** Whether too many sections of the whole source seemed to open. */
  #areAllSuspect = false
  readonly #failed: { group_id: number; why: string }[] = []
  #retryAfterSeconds: number | null = null
  #gathered: Gathered[] = []
  #firstOpeningAt: number | null = null
  readonly #context: JobContext
  readonly #source: PolledSource
  readonly #due: readonly PolledGroup[]
  readonly #round: RoundSoFar

  constructor(context: JobContext, source: PolledSource, due: readonly PolledGroup[], round: RoundSoFar) {
    this.#context = context
    this.#source = source
    this.#due = due
    this.#round = round
    this.looks = new SecondLook(context, source, round.doubts, round.is_scarce)
  }

  /** Requests sent, second looks included. */
  get requests(): number {
    return this.#listRequests + this.looks.requests
  }

  async read(termSizes: ReadonlyMap<string, number>): Promise<void> {
    if (this.#due.length === 0) return
    const { now } = this.#context
    const deadline = Math.min(this.#context.deadline, now() + 20_000) - WRITING_MS
    let sent = 0
    const opened = await openLane(this.#context.env, this.#source, {
      now,
      deadline,
      ...(this.#round.is_scarce && { pace: 'wait', isInGroup: () => opened.requests() > sent }),
    })
    const answers = opened.lane
      .seats(
        this.#due.map((group) => group.watched),
        termSizes,
      )
      [Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = answers.next()
        await this.#flushWhileWaiting(next)
        const { done, value } = await next
        if (done) break
        this.#take(value)
        sent = opened.requests()
        if (this.#isFlushDue()) await this.#flush()
        if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW || this.#isLimited || now() > deadline) break
        await this.#context.checkpoint()
      }
    } catch (error) {
      // What was noted of a group that was cut off lets the next run go on there.
      const hasNoted =
        (opened.lane.memo?.() ?? null) !== this.#source.poll_memo && this.#round.cut_off_runs < MAX_CUT_OFF_RUNS
      if (error instanceof BudgetSpent && error.retry_at > now())
        this.#endEarly(error.retry_at, hasNoted ? 0 : opened.requests())
      else if (error instanceof BudgetSpent || now() >= deadline) this.#giveUpFirst(opened.requests())
      else throw error
    } finally {
      await answers.return?.(undefined)
      this.#listRequests = opened.requests()
      this.#memo = opened.lane.memo?.() ?? null
      await this.#flush()
    }
  }

  /**
   * A failed poll of one group (`isAtOnce`) does not mean that the source is down; neither does a failed run if earlier
   * runs of the round `believed` other groups.
   */
  async settle(round: { isAtOnce: boolean; believed: number; requests: number | null }): Promise<void> {
    const { env, now } = this.#context
    const at = now()
    const statements: Query[] = []
    const { id, failures: failuresBefore } = this.#source
    const wasDown = failuresBefore >= MAX_FAILURES_BEFORE_PAUSE
    if (this.believed > 0 && wasDown && !round.isAtOnce) statements.push(resetGroupFailures(id))
    if (this.#memo !== null && this.#memo !== this.#source.poll_memo) statements.push(rememberMemo(id, this.#memo))
    if (this.#failed.length > 0) statements.push(recordFailedGroups(at, this.#failed))
    if (this.believed > 0) statements.push(recordSourceAnswer(id, at, round.requests))
    const isDown = !round.isAtOnce && this.#failed.length > 0 && this.believed + round.believed === 0
    if (isDown || this.#retryAfterSeconds !== null) {
      const failures = isDown ? failuresBefore + 1 : this.believed > 0 ? 0 : failuresBefore
      const endOf = (wait: number): number | null => (wait > 0 ? at + wait : null)
      this.pausedUntil = endOf(pauseAfter(failures, this.#retryAfterSeconds))
      const limitedUntil = endOf(limitAfter(this.#retryAfterSeconds))
      const why = this.#failed.at(-1)?.why ?? ''
      statements.push(recordSourceFailure(id, at, { failures, pausedUntil: this.pausedUntil, limitedUntil, why }))
    }
    await writeTogether(env.DB, statements)
  }

  #take({ index, asked_at, answer }: GroupSeats): void {
    const group = this.#due[index]
    if (!group) return
    this.answered += 1
    if (!answer.known) {
      this.#failuresInARow += 1
      this.#failed.push({ group_id: group.id, why: answer.why })
      // After this, every call would be refused without a request.
      this.#isLimited ||= answer.reason === 'limited'
      if (answer.retry_after_seconds !== null)
        this.#retryAfterSeconds = Math.max(this.#retryAfterSeconds ?? 0, answer.retry_after_seconds)
      return
    }
    this.#failuresInARow = 0
    this.believed += 1
    this.sectionsRead += group.sections.length
    const seen = answer.value.seen.map(judged)
    const asked = { group_id: group.id, asked_at, seen_at: this.#context.now() }
    const absence = absenceOf(group.sections, seen, group.has_unobserved)
    const proposals = proposeChanges(group.sections, seen, asked)
    if (!this.#round.reread.has(group.id)) this.#round.tally.add(group, proposals)
    this.#gathered.push({
      group,
      believed: { source_id: this.#source.id, known_at: this.#round.known_at, ...asked, absence },
      proposals,
    })
    this.looks.endDoubts(notOpenIn(group.sections, seen))
    if (proposals.some(mayAlert)) this.#firstOpeningAt ??= this.#context.now()
  }

  /** Writes openings on time even while the school is slow to answer about another group. */
  async #flushWhileWaiting(next: Promise<unknown>): Promise<void> {
    if (this.#firstOpeningAt === null) return
    const wait = Math.max(0, this.#firstOpeningAt + GATHER_MS - this.#context.now())
    const isLate = await Promise.race([next.then(isAnswered, isAnswered), scheduler.wait(wait).then(() => true)])
    if (isLate && this.#isFlushDue()) await this.#flush()
  }

  /** Whether to write the gathered answers now. */
  #isFlushDue(): boolean {
    if (this.#gathered.reduce((sum, { proposals }) => sum + proposals.length, 0) >= MAX_PROPOSALS) return true
    if (this.#firstOpeningAt === null || this.#context.now() - this.#firstOpeningAt < GATHER_MS) return false
    const isMany = looksImplausible(this.#openedSoFar(), this.#round.sections_read + this.sectionsRead)
    return !isMany && !this.#round.tally.looksSuspect()
  }

  /** Sections that opened in the round so far, including those not written yet. */
  #openedSoFar(): number {
    const { reread, opened, doubts } = this.#round
    const unread = this.#gathered.filter(({ group }) => !reread.has(group.id))
    return opened + this.opened + unread.reduce((sum, { proposals }) => sum + countOpenings(proposals, doubts), 0)
  }

  /**
   * If no group was read with the whole budget, none would be in the next run either. If other jobs had a part of it, the
   * next run may have all of it; but in the end the first group makes room for the others.
   */
  #endEarly(retryAt: number, lostRequests: number): void {
    const burst = burstOf(this.#source)
    const wholeBudgetAt = this.#context.now() + (WINDOW_MS * burst) / this.#source.requests_per_minute
    this.isInVain = this.answered === 0 && lostRequests > 0
    this.retryAt = this.isInVain ? Math.max(retryAt, wholeBudgetAt) : retryAt
    const tries = this.#round.tries_in_vain + 1
    if (!this.isInVain || tries === 1) return
    if (lostRequests >= burst) this.#giveUpFirst(lostRequests, tooFewRequests(this.#source))
    else if (tries >= MAX_TRIES_IN_VAIN) this.#giveUpFirst(lostRequests, REQUESTS_USED_UP)
  }

  /** A run too short for one answer is a failure; otherwise an unresponsive school would be queried forever. */
  #giveUpFirst(requests: number, answer: Unknown = timedOut('answer', 'one run')): void {
    if (this.answered > 0 || requests === 0) return
    this.#take({ index: 0, asked_at: this.#context.now(), answer })
  }

  /** Sets aside groups with implausibly many openings: they are read again before anyone is notified. */
  #setSuspectsAside(): void {
    const { reread, tally, watched, doubts, is_at_once } = this.#round
    const opened = this.#openedSoFar()
    this.#areAllSuspect ||=
      isImplausible(opened, watched) || (is_at_once && looksImplausible(opened, this.sectionsRead))
    const kept: Gathered[] = []
    for (const one of this.#gathered) {
      const openings = countOpenings(one.proposals, doubts)
      const isSuspect = openings > 0 && !reread.has(one.group.id) && (this.#areAllSuspect || tally.isSuspect(one.group))
      if (!isSuspect) kept.push(one)
      else {
        this.suspects.push(one.group.id)
        this.suspected += openings
        this.answered -= 1
        this.sectionsRead -= one.group.sections.length
      }
    }
    this.#gathered = kept
  }

  /** Writes the gathered answers, then announces them; after a crash between the two, the minute's sweep catches up. */
  async #flush(): Promise<void> {
    const { env, job, now } = this.#context
    this.#setSuspectsAside()
    const gathered = this.#gathered
    this.#gathered = []
    this.#firstOpeningAt = null
    if (gathered.length === 0) return
    const candidates = gathered.flatMap(({ group, proposals }) =>
      proposals.map((proposal) => ({ proposal, group: group.watched.group })),
    )
    const proposals = await this.looks.confirmed(candidates)
    const recorded = await recordObservations(env.DB, {
      pollId: `${job.id}.${crypto.randomUUID()}`,
      now: now(),
      proposals,
      groups: gathered.map(({ believed }) => believed),
      statements: this.looks.statements(),
    })
    this.openings += recorded.openings
    this.opened += countOpenings(proposals)
    await announce(env, recorded)
  }
}

const REQUESTS_USED_UP = unknown(
  'incomplete',
  'This needs more requests than were left for it in several tries. Other jobs at the same school may be using them.',
)

const tooFewRequests = ({ requests_per_minute: most }: PolledSource): Unknown =>
  unknown('incomplete', `Reading this needs more than the limit of ${counted(most, 'request')} a minute.`)

/** Settled before the wait was over, so not late. */
const isAnswered = (): boolean => false
