import { known, unknown, type Unknown } from './answer.ts'
import { NO_FIGURES } from './judge.ts'
import { addSection, observationOf } from './observation.ts'
import { BudgetSpent } from './source.ts'
import type {
  Answer,
  Group,
  GroupSeats,
  Observation,
  SourceSection,
  Tools,
  UnknownReason,
  WatchedGroup,
} from './source.ts'
import { maySearchGroups, type PollNotes, type Start } from './poll-notes.ts'
import { type CountedPage, CountedWalk } from './walk-pages.ts'

interface NumberedGroup {
  index: number
  watched: WatchedGroup
}

/** The watched groups of a term, and how many pages the whole term has; Infinity if its size is not known. */
interface WatchedTerm {
  term: string
  asked: NumberedGroup[]
  pages: number
}

export const numbered = (groups: readonly WatchedGroup[]): NumberedGroup[] =>
  groups.map((watched, index) => ({ watched, index }))

/** Thrown for a group that was cut off, by a spent budget or the end of the caller's time: the `cause`. */
class CutOff extends Error {
  readonly answer: GroupSeats['answer']

  constructor(answer: GroupSeats['answer'], cause: unknown) {
    super('A group was cut off.', { cause })
    this.answer = answer
  }
}

/**
 * Asks for one group after the other. What was seen of the first is returned even if it is cut off, since no
 * conversation may be long enough for it; another one is left to the next conversation, which begins with it.
 */
export async function* askEach(
  asked: readonly NumberedGroup[],
  now: Tools['now'],
  ask: (watched: WatchedGroup, isFirst: boolean) => Promise<GroupSeats['answer']>,
): AsyncGenerator<GroupSeats> {
  for (const { index, watched } of asked) {
    const asked_at = now()
    let cutOff: CutOff | null = null
    let answer: GroupSeats['answer']
    try {
      answer = await ask(watched, index === 0)
    } catch (error) {
      if (!(error instanceof CutOff)) throw error
      cutOff = error
      answer = error.answer
    }
    yield { index, asked_at, answer }
    if (cutOff !== null) throw cutOff.cause
  }
}

/** @param termSizes known sections of a term by `school/term` */
export function byTerm(
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
  pageSize: number,
): WatchedTerm[] {
  return Array.from(
    Map.groupBy(numbered(groups), ({ watched }) => watched.group.term),
    ([term, asked]) => {
      const size = termSizes.get(`${asked[0]?.watched.group.school ?? ''}/${term}`)
      return { term, asked, pages: size === undefined ? Infinity : Math.max(1, Math.ceil(size / pageSize)) }
    },
  )
}

/** What a search is for. */
export interface Wanted {
  readonly keys: ReadonlySet<string>
  /** For pages whose sections cost a request a course: the first course to request, then the one requested now. */
  course?: string
  /** Takes what such a request shows before the whole page has been read. */
  collect?: (sections: readonly SourceSection[]) => void
}

/** The watched sections of one group, as pages arrive. */
export class WatchedSections implements Wanted {
  readonly keys: ReadonlySet<string>
  readonly #watched: WatchedGroup['watched']
  readonly #seen = new Map<string, Observation>()
  /** Those seen before the present search. */
  #seenBefore: ReadonlySet<string> = new Set()
  /** When the page with the first of them was requested; null before one has arrived. */
  firstAskedAt: number | null = null
  /** Where the search is now; the first page if absent. */
  cursor?: string
  course?: string

  constructor({ watched }: Pick<WatchedGroup, 'watched'>, { cursor, at }: Start = {}) {
    this.#watched = watched
    if (cursor !== undefined) this.cursor = cursor
    if (at !== undefined) this.course = at
    this.keys = new Set(watched.map(({ section_key }) => section_key))
  }

  /**
   * The sections that were seen; if others may have been lost between two pages, also those, as unknown.
   * @param why why the walk is incomplete, as a sentence; '' if it is complete, so that the school lists no others
   */
  seen(why: string): Observation[] {
    const lost = why === '' ? [] : [...this.keys].filter((key) => !this.has(key))
    const doubted = lost.map((section_key) => ({ section_key, stated: null, figures: NO_FIGURES, doubts: [why] }))
    return [...this.#seen.values(), ...doubted]
  }

  /** If a search showed rows without their sections, and none of these, nothing is known. */
  answerOf({ isWhole, isContinued, why, whyIncomplete }: CountedWalk, warnings: string[]): GroupSeats['answer'] {
    if (whyIncomplete !== '' && !this.hasSeen) return unknown('incomplete', whyIncomplete)
    const whyNotWhole = isWhole ? '' : why
    return known({ seen: this.seen(isContinued ? RESUMED_LATER : whyNotWhole) }, warnings)
  }

  /** What to throw if the search is cut off: what was seen by then, if anything was, is kept. */
  cutOff(error: unknown): unknown {
    return this.hasSeen ? new CutOff(known({ seen: this.seen(NO_TIME_LEFT) }), error) : error
  }

  /** Where the search begins the next time if it is cut off now. */
  get start(): Start {
    const { cursor, course: at } = this
    return { ...(cursor !== undefined && { cursor }), ...(at !== undefined && { at }) }
  }

  get hasSeen(): boolean {
    return this.#seen.size > 0
  }

  get isComplete(): boolean {
    return this.#seen.size === this.keys.size
  }

  /** Whether a section was not seen that the school listed until now. */
  get lacksListed(): boolean {
    return this.#watched.some(
      ({ section_key, missing_since = null }) => missing_since === null && !this.has(section_key),
    )
  }

  has(sectionKey: string): boolean {
    return this.#seen.has(sectionKey)
  }

  /** Another search begins. What it says about sections seen before is newer, not a contradiction, and is left out. */
  beginSearch(): void {
    this.#seenBefore = new Set(this.#seen.keys())
  }

  collect(sections: readonly SourceSection[], askedAt = 0): void {
    for (const section of sections) {
      if (!this.keys.has(section.section_key) || this.#seenBefore.has(section.section_key)) continue
      addSection(this.#seen, observationOf(section))
      this.firstAskedAt ??= askedAt
    }
  }
}

/** Asks for the next page of one search. */
type Ask = (walk: CountedWalk, wanted: Wanted) => Promise<Answer<CountedPage>>

/** After one of these, the request for the group's next section or course would fail too. */
export const ENDS_READING: ReadonlySet<UnknownReason> = new Set(['timeout', 'unreachable', 'limited'])
/** Other failures may concern only one section or course; so many in a row do not. */
export const MAX_FAILURES_IN_A_ROW = 2

/** Why a wider search says nothing, although the narrow one does. */
export const NO_REQUESTS_LEFT = 'The whole subject was not read, because there were no requests left.'

/** Why a section is unclear in a group that was cut off, and in the read that resumes there. */
export const NO_TIME_LEFT = 'There was no time left to request it.'
export const RESUMED_LATER = 'It was not requested, because this read resumed where the previous one was cut off.'

/** The search for a group, and a wider one for when a watched section that was listed until now is not in it. */
export type Searches = readonly [narrow: Ask, wider?: Ask]

/** How a protocol searches for watched sections. */
interface Searching {
  now: Tools['now']
  pageSize: number
  /** What the search of one more group costs, in requests, beside its pages. */
  extraCost: 0 | 1
  notes: PollNotes
  ofGroup: (watched: WatchedGroup) => Searches
  ofTerm: (term: string) => Ask
}

/**
 * Reads seats by one search per group, or, page after page, by the whole term, if that takes fewer requests. A search
 * ends as soon as every watched section was seen. If that of the whole term fails, the groups are searched.
 */
export async function* readBySearch(
  groups: readonly WatchedGroup[],
  termSizes: ReadonlyMap<string, number>,
  { now, pageSize, extraCost, notes, ofGroup, ofTerm }: Searching,
): AsyncGenerator<GroupSeats> {
  for (const { term, asked, pages } of byTerm(groups, termSizes, pageSize)) {
    const open = new OpenGroups(asked, now())
    // The first search of a term has no extra cost.
    if (pages < asked.length + extraCost * (asked.length - 1) && !notes.isByGroup(term, now())) {
      const ask = ofTerm(term)
      const walk = new CountedWalk()
      while (open.left.length > 0 && !walk.isOver) {
        const askedAt = now()
        const page = await ask(walk, { keys: open.keys })
        if (!page.known) {
          if (maySearchGroups(page)) notes.readByGroup(term, now())
          else yield* open.giveUp(page)
          break
        }
        // Some schools require a filter, and otherwise find nothing.
        if (page.value.totalCount === 0) {
          notes.readByGroup(term, now())
          break
        }
        yield* open.take(walk.take(page.value), walk, { askedAt, warnings: page.warnings })
        if (open.left.length === 0) notes.readWhole(term)
        // The school may cut pages so short that paging costs more.
        if (walk.pagesLeft > (1 + extraCost) * open.left.length) break
      }
    }
    yield* askEach(open.left, now, (watched, isFirst) => readGroup(watched, ofGroup(watched), { now, notes, isFirst }))
  }
}

/** Where and when a group is read. */
export interface Reading {
  now: Tools['now']
  notes: PollNotes
  /** Whether it is the first group of the conversation. */
  isFirst: boolean
}

/** What one search has found: a failure, or the pages that were walked. */
interface Found {
  failure: Unknown | null
  walk: CountedWalk
  warnings: string[]
}

/**
 * Reads one group, and keeps where it was cut off, be it by a school that asks us to wait. Only the first group of a
 * conversation is then answered in part, as {@link askEach} says.
 */
export async function readNoted(
  group: Group,
  { now, notes, isFirst, wanted }: Omit<Reading, 'notes'> & { notes: PollNotes | null; wanted: WatchedSections },
  read: () => Promise<GroupSeats['answer']>,
): Promise<GroupSeats['answer']> {
  try {
    const answer = await read()
    if (isFirst && wanted.hasSeen && !answer.known && answer.reason === 'limited')
      throw new BudgetSpent(now() + (answer.retry_after_seconds ?? 0) * 1000)
    notes?.keepStart(group, null)
    return answer
  } catch (error) {
    if (!isFirst) throw error
    notes?.keepStart(group, wanted.start)
    throw wanted.cutOff(error)
  }
}

/** A group that is read by one search goes on where it was cut off the last time. */
function readGroup(
  watched: WatchedGroup,
  searches: Searches,
  { notes, ...reading }: Reading,
): Promise<GroupSeats['answer']> {
  const { group } = watched
  const own = searches.length === 1 ? notes : null
  const wanted = new WatchedSections(watched, own?.startOf(group))
  return readNoted(group, { ...reading, notes: own, wanted }, () => readSearches(group, wanted, searches))
}

async function readSearches(
  group: Group,
  wanted: WatchedSections,
  [narrow, wider]: Searches,
): Promise<GroupSeats['answer']> {
  const answerOf = ({ failure, walk, warnings }: Found): GroupSeats['answer'] => {
    if (failure !== null) return failure
    if (walk.isEmpty && walk.isWhole) return noneListed(group)
    return wanted.answerOf(walk, warnings)
  }
  const found = await searchFor(wanted, narrow)
  if (wider === undefined || !isWorthWidening(found, wanted)) return answerOf(found)
  // The wider search begins at its first page, and what this one has seen does not depend on it.
  delete wanted.cursor
  const isUseful = found.failure === null && !found.walk.isEmpty
  const without = (why: string) => known({ seen: wanted.seen(why) }, found.warnings)
  try {
    const answer = answerOf(await searchFor(wanted, wider))
    return answer.known || !isUseful ? answer : without(answer.why)
  } catch (error) {
    if (!isUseful || !(error instanceof BudgetSpent)) throw error
    return without(NO_REQUESTS_LEFT)
  }
}

/** Whether the school ignored what narrowed the search, or it lacks a section that was listed until now. */
function isWorthWidening({ failure, walk }: Found, wanted: WatchedSections): boolean {
  if (failure !== null) return failure.reason === 'wrong_scope'
  return walk.isWhole && (walk.isEmpty || wanted.lacksListed)
}

/** Reads pages until no section is wanted any more. */
async function searchFor(wanted: WatchedSections, ask: Ask): Promise<Found> {
  const walk = new CountedWalk(wanted.cursor)
  const warnings: string[] = []
  wanted.beginSearch()
  do {
    const page = await ask(walk, wanted)
    if (!page.known) return { failure: page, walk, warnings }
    wanted.collect(walk.take(page.value))
    wanted.cursor = walk.cursor
    warnings.push(...page.warnings)
  } while (!wanted.isComplete && !walk.isOver)
  return { failure: null, walk, warnings }
}

/** The groups of a term, while its pages arrive. */
class OpenGroups {
  readonly #startedAt: number
  #open: (NumberedGroup & { wanted: WatchedSections })[]

  constructor(asked: readonly NumberedGroup[], startedAt: number) {
    this.#startedAt = startedAt
    this.#open = asked.map((one) => ({ ...one, wanted: new WatchedSections(one.watched) }))
  }

  /** The groups that are not answered yet. */
  get left(): readonly NumberedGroup[] {
    return this.#open
  }

  /** The watched sections of those groups. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#open.flatMap(({ wanted }) => [...wanted.keys]))
  }

  /** Answers the groups whose sections were all seen by now; after the last page, all that are left. */
  *take(
    sections: readonly SourceSection[],
    walk: CountedWalk,
    { askedAt, warnings }: { askedAt: number; warnings: string[] },
  ): Generator<GroupSeats> {
    for (const { wanted } of this.#open) wanted.collect(sections, askedAt)
    for (const { index, wanted } of this.#open) {
      if (!wanted.isComplete && !walk.isOver) continue
      // That a section is missing depends on every page.
      const asked_at = wanted.isComplete ? (wanted.firstAskedAt ?? this.#startedAt) : this.#startedAt
      yield { index, asked_at, answer: wanted.answerOf(walk, warnings) }
    }
    this.#open = walk.isOver ? [] : this.#open.filter(({ wanted }) => !wanted.isComplete)
  }

  /** Answers the groups that are left with an unknown. */
  *giveUp(answer: Unknown): Generator<GroupSeats> {
    for (const { index } of this.#open) yield { index, asked_at: this.#startedAt, answer }
    this.#open = []
  }
}

/** The watched sections of a group among all sections of an answer. */
export function seatsAmong(
  found: Answer<{ sections: readonly SourceSection[] }>,
  { group, watched }: WatchedGroup,
  isOurs: (section: SourceSection) => boolean = () => true,
): GroupSeats['answer'] {
  if (!found.known) return found
  const { sections } = found.value
  if (sections.length === 0 && watched.length > 0) return noneListed(group)
  const keys = new Set(watched.map(({ section_key }) => section_key))
  const seen = sections.filter((section) => isOurs(section) && keys.has(section.section_key))
  return known({ seen: seen.map(observationOf) }, found.warnings)
}

/**
 * The answer for a watched group if the school lists no sections. A broken school does so too, so it is not
 * believed: a subject that really lost all its sections stays unknown.
 */
export function noneListed({ subject, subject_name }: Pick<Group, 'subject' | 'subject_name'>): Unknown {
  const name = subject_name || subject
  return unknown('incomplete', `We watch sections of ${name} there, and the school says there are none.`)
}
