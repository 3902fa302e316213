import { and, eq, lt, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { into, names, query, type Query, statement, setExcluded } from '../../db/query.ts'
import { doubtedOpening, section, source } from '../../db/schema/index.ts'
import type { JobContext } from '../../jobs/job.ts'
import { statedSeats } from '../../sources/judge.ts'
import { BudgetSpent, type Group, type Lane } from '../../sources/source.ts'
import {
  areContradicted,
  type DoubtedOpening,
  doubtAfter,
  type Finding,
  findingOf,
  isDoubted,
  MAX_OVERRULED_LOOKS,
  nextStep,
} from './second-look-rules.ts'
import { notifyStaff, secondLookOff } from './notify-staff.ts'
import { type LaneSource, openLane } from './open-lane.ts'
import { mayAlert, type Proposal } from './openings.ts'
import { s } from '../aliases.ts'

/** How long messages wait for second looks at most, in ms. */
const MAX_LOOK_MS = 2000
/** Conversations in parallel when many sections open at once. */
const MAX_LANES = 2

/** Requests a minute for second looks: a sixth, so that polls and refreshes continue, but always enough for one look. */
const looksPerMinute = ({ requests_per_minute }: LaneSource): number =>
  Math.max(MIN_LOOKS_PER_MINUTE, Math.floor(requests_per_minute / 6))
/** A conversation may take a request before its first look. */
const MIN_LOOKS_PER_MINUTE = 2

/** What the second look needs to know about a source. */
interface SecondLookSource extends LaneSource {
  id: number
  name: string
  is_second_look_on: boolean
  overruled_look_count: number
}

/** A proposal, and the group in which to look again. */
interface Candidate {
  proposal: Proposal
  group: Group
}

type DoubtedRow = [section_id: number, rounds: number, doubted_at: number]

/** Findings that are not yet in the database. */
const nothingFound = () => ({
  doubted: new Array<DoubtedRow>(),
  /** Ids of sections that are no longer doubted. */
  settled: new Array<number>(),
  flickers: 0,
  /** Looks overruled in a row, and whether a look before them agreed. */
  overruled: 0,
  hasAgreed: false,
})

/**
 * Asks a school once more about a section that its list has just called open, outside the poll's session, before anyone
 * is notified: lists lag behind, and seats flicker while someone registers. An answer that disagrees keeps the section as
 * it was, for at most {@link MAX_DOUBTED_ROUNDS} rounds; longer only while it tells of people waiting of whom the list
 * cannot know. Without an answer in time the message is sent, unless an earlier answer disagreed, or every answer about
 * the other openings of the same moment.
 */
export class SecondLook {
  /** Requests sent for it. */
  requests = 0
  /** How long each look took, in ms. */
  readonly times: number[] = []
  /** Number of openings withheld. */
  withheld = 0
  readonly #context: JobContext
  readonly #source: SecondLookSource
  readonly #doubts: Map<number, DoubtedOpening>
  #unsaved = nothingFound()
  /** Looks overruled in a row, including those before this run. */
  #overruled: number
  #isOn: boolean
  readonly #isScarce: boolean

  /** @param isScarce whether the source's other requests go out evenly and must make room */
  constructor(
    context: JobContext,
    source: SecondLookSource,
    doubts: ReadonlyMap<number, DoubtedOpening>,
    isScarce = false,
  ) {
    this.#context = context
    this.#source = source
    this.#isScarce = isScarce
    this.#doubts = new Map(doubts)
    this.#overruled = source.overruled_look_count
    this.#isOn = source.is_second_look_on
  }

  /** The proposals that may be written now: all except openings that the second look does not confirm. */
  async confirmed(candidates: readonly Candidate[]): Promise<Proposal[]> {
    const { env, now } = this.#context
    const wasOff = this.#isTurnedOff
    const toAsk: Candidate[] = []
    const refused = new Set<Proposal>()
    for (const candidate of candidates) {
      const { proposal } = candidate
      const { known } = proposal
      if (!this.#isOn || known.status === 'open' || !mayAlert(proposal)) continue
      const step = nextStep(this.#currentlyDoubted(known.id), now())
      if (step === 'look') toAsk.push(candidate)
      else if (step === 'wait') refused.add(proposal)
      else this.#overrule(known.id)
    }
    // New openings come first, then those that were doubted longest ago: there may be no looks left for the others.
    toAsk.sort((one, other) => this.#doubtedAt(one) - this.#doubtedAt(other))
    const findings = await this.#ask(toAsk)
    const isListWrong = areContradicted([...findings.values()])
    for (const candidate of toAsk) {
      const { proposal } = candidate
      const finding = findings.get(candidate) ?? 'no_answer'
      // Without an answer, an earlier contradiction still counts.
      const isRefused =
        finding !== 'no_answer' || isListWrong || this.#currentlyDoubted(proposal.known.id) !== undefined
      if (finding !== 'open' && isRefused) {
        refused.add(proposal)
        this.#doubt(proposal.known.id, finding)
        continue
      }
      if (finding === 'open') this.#agree()
      this.#settle(proposal.known.id)
    }
    // Before the openings are written: if the run died in between, staff would never be notified.
    if (this.#isTurnedOff && !wasOff) await notifyStaff(env, this.#source, secondLookOff(this.#source), now())
    this.withheld += refused.size
    return candidates.flatMap(({ proposal }) => (refused.has(proposal) ? [] : [proposal]))
  }

  /** A believed read of sections that are not open ends the doubts about them. */
  endDoubts(sectionIds: readonly number[]): void {
    for (const id of sectionIds) this.#settle(id)
  }

  /** Whether enough looks in a row were overruled to turn off this source's second look. */
  get #isTurnedOff(): boolean {
    return this.#source.is_second_look_on && this.#overruled >= MAX_OVERRULED_LOOKS
  }

  /** Statements that remember the findings, for the batch that writes the observations; each is returned once. */
  statements(): Query[] {
    const { id } = this.#source
    const { doubted, settled, flickers, overruled, hasAgreed } = this.#unsaved
    this.#unsaved = nothingFound()
    const isChanged = flickers > 0 || overruled > 0 || hasAgreed
    const { sectionId, sourceId, rounds, doubtedAt } = doubtedOpening
    return [
      ...(doubted.length > 0
        ? [
            statement(sql`INSERT INTO ${into(doubtedOpening, sectionId, sourceId, rounds, doubtedAt)}
              SELECT ${s.id}, ${id}, value ->> 1, value ->> 2
              FROM json_each(${JSON.stringify(doubted)}) JOIN ${section} ${s} ON ${s.id} = value ->> 0 WHERE true
              ON CONFLICT (${names(sectionId)}) DO UPDATE SET ${setExcluded(rounds, doubtedAt)}`),
          ]
        : []),
      ...(settled.length > 0 ? [query.delete(doubtedOpening).where(isIn(sectionId, settled))] : []),
      ...(isChanged
        ? [
            // Incremented in the database, because a poll and a refresh may look at the same time.
            query
              .update(source)
              .set({
                flickerCount: sql`${source.flickerCount} + ${flickers}`,
                overruledLookCount: hasAgreed ? overruled : sql`${source.overruledLookCount} + ${overruled}`,
                ...(this.#isTurnedOff ? { isSecondLookOn: false } : {}),
              })
              .where(eq(source.id, id)),
          ]
        : []),
    ]
  }

  #settle(sectionId: number): void {
    if (this.#doubts.delete(sectionId)) this.#unsaved.settled.push(sectionId)
  }

  #doubt(sectionId: number, finding: Exclude<Finding, 'open'>): void {
    const before = this.#currentlyDoubted(sectionId)
    const doubt = doubtAfter(before, finding, this.#context.now())
    if (!before && finding !== 'no_answer') this.#unsaved.flickers += 1
    if (doubt === before) return
    this.#doubts.set(sectionId, doubt)
    this.#unsaved.doubted.push([sectionId, doubt.rounds, doubt.doubted_at])
  }

  #currentlyDoubted(sectionId: number): DoubtedOpening | undefined {
    const doubted = this.#doubts.get(sectionId)
    return doubted && isDoubted(doubted, this.#context.now()) ? doubted : undefined
  }

  #doubtedAt({ proposal }: Candidate): number {
    return this.#currentlyDoubted(proposal.known.id)?.doubted_at ?? 0
  }

  #agree(): void {
    this.#unsaved.hasAgreed ||= this.#overruled > 0
    this.#unsaved.overruled = 0
    this.#overruled = 0
  }

  #overrule(sectionId: number): void {
    this.#overruled += 1
    this.#unsaved.overruled += 1
    if (this.#isTurnedOff) this.#isOn = false
    this.#settle(sectionId)
  }

  /** The findings that came in time. Never rejects and takes at most {@link MAX_LOOK_MS}. */
  async #ask(candidates: readonly Candidate[]): Promise<Map<Candidate, Finding>> {
    const findings = new Map<Candidate, Finding>()
    const most = looksPerMinute(this.#source)
    const isAgain = ({ proposal }: Candidate): boolean => this.#currentlyDoubted(proposal.known.id)?.rounds === 0
    const newOnes = candidates.filter((one) => !isAgain(one))
    const lanes = [
      ...this.#lanes(newOnes, { lanes: MAX_LANES, most }, findings),
      // People may wait at many sections, and new openings need the looks. One conversation, because each may take a
      // request before its first look, which must not be all that is left.
      ...this.#lanes(
        candidates.filter(isAgain),
        { lanes: 1, most: Math.max(MIN_LOOKS_PER_MINUTE, Math.floor(most / 2)) },
        findings,
      ),
    ]
    if (lanes.length > 0) await Promise.race([Promise.allSettled(lanes), scheduler.wait(MAX_LOOK_MS)])
    return new Map(findings)
  }

  /** Conversations about candidates, in their order, as long as the minute's looks are fewer than `most`. */
  #lanes(
    candidates: readonly Candidate[],
    { lanes, most }: { lanes: number; most: number },
    findings: Map<Candidate, Finding>,
  ): Promise<void>[] {
    const deadline = this.#context.now() + MAX_LOOK_MS
    const waiting = [...candidates]
    return Array.from({ length: Math.min(lanes, candidates.length) }, async () => {
      const opened = await openLane(this.#context.env, this.#source, {
        now: this.#context.now,
        deadline,
        timeout_ms: MAX_LOOK_MS,
        share: { action: 'source-looks', most },
        ...(this.#isScarce && { pace: 'count' }),
      })
      try {
        for (let next = waiting.shift(); next !== undefined && opened.lane.details; next = waiting.shift())
          findings.set(next, await this.#askOne(opened.lane, next))
      } finally {
        this.requests += opened.requests()
      }
    })
  }

  async #askOne(lane: Lane, { proposal, group }: Candidate): Promise<Finding> {
    const { known, session_code } = proposal
    const startedAt = this.#context.now()
    try {
      const answer = await lane.details?.(group, known.section_key, session_code)
      return findingOf(answer?.known ? statedSeats(answer.value) : null, proposal)
    } catch (error) {
      // The budget or the time is used up, so the message is sent.
      if (!(error instanceof BudgetSpent)) console.warn({ event: 'second_look_failed', error: String(error) })
      return 'no_answer'
    } finally {
      this.times.push(this.#context.now() - startedAt)
    }
  }
}

/** A believed read of sections that are not open ends the doubts from before it was requested. */
export function deleteDoubts(sectionIds: readonly number[], askedAt: number): Query {
  const { sectionId, doubtedAt } = doubtedOpening
  return query.delete(doubtedOpening).where(and(isIn(sectionId, sectionIds), lt(doubtedAt, askedAt)))
}
