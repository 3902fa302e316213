import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { StatedSeats } from '../../sources/judge.ts'
import type { KnownSection, Proposal } from './openings.ts'

/** A section that the school's list calls open and the second look does not, for some rounds in a row. */
export interface DoubtedOpening {
  /** Rounds that count for the list; 0 if the look told of people waiting, of whom the list cannot know. */
  rounds: number
  /** The last such round, ms since epoch. */
  doubted_at: number
}

/** After this many rounds in a row the list is believed, whatever the second look says. */
export const MAX_DOUBTED_ROUNDS = 3
/** Rounds closer together than this count once, in ms: a list that is three minutes late must not win by being read often. */
const ROUND_MS = 90_000
/** After so many overruled looks in a row they are turned off: a wrong setting must never silence a school. */
export const MAX_OVERRULED_LOOKS = 5
/** Reads closer together than this need one look, such as one for a new watch or a refresh. */
const MIN_APART_MS = 10_000
/** An older doubt is about another opening: the section was not watched in between. */
const MAX_AGE_MS = DAY_MS
/** After this time without another answer, a look that told of people waiting no longer counts. */
const MAX_WAIT_AGE_MS = HOUR_MS

/** Whether a doubt still counts. */
export const isDoubted = ({ rounds, doubted_at }: DoubtedOpening, now: number): boolean =>
  now - doubted_at <= (rounds === 0 ? MAX_WAIT_AGE_MS : MAX_AGE_MS)

/** What to do about a section just listed as open: look again, wait for the next round, or believe the list. */
export function nextStep(doubted: DoubtedOpening | undefined, now: number): 'look' | 'wait' | 'overrule' {
  if (!doubted) return 'look'
  const age = now - doubted.doubted_at
  // People may wait for weeks, and new openings need the looks.
  if (age < (doubted.rounds === 0 ? ROUND_MS : MIN_APART_MS)) return 'wait'
  return doubted.rounds >= MAX_DOUBTED_ROUNDS - 1 && age >= ROUND_MS ? 'overrule' : 'look'
}

/** The doubt after a look that did not confirm an opening; the same object if nothing is to be stored. */
export function doubtAfter(
  before: DoubtedOpening | undefined,
  finding: Exclude<Finding, 'open'>,
  now: number,
): DoubtedOpening {
  if (finding === 'people_wait') return { rounds: 0, doubted_at: now }
  if (!before) return { rounds: 1, doubted_at: now }
  const isCounted = before.rounds === 0 ? finding === 'not_open' : now - before.doubted_at >= ROUND_MS
  return isCounted ? { rounds: before.rounds + 1, doubted_at: now } : before
}

/**
 * What a second look found. `people_wait`: seats may be free, but for people of whom the list cannot know, so it is no
 * disagreement. `no_answer`: no answer came in time, or none that could be believed.
 */
export type Finding = 'open' | 'not_open' | 'people_wait' | 'no_answer'

/** What the list says about a section, and what is stored of it. */
type Listed = Pick<Proposal, 'capacity' | 'has_figures'> & { known: Pick<KnownSection, 'capacity'> }

/**
 * Only an answer with the stored capacity or the list's counts against the list: systems answer for an unknown section in
 * the same form, with zeros. A full section is not open, even if the school's word for it still is.
 * @param stated null without a believed answer
 */
export function findingOf(stated: StatedSeats | null, { known, capacity, has_figures }: Listed): Finding {
  if (stated?.status === 'open') return 'open'
  if (stated === null || stated.capacity === null || (stated.status === 'unknown' && !stated.is_full))
    return 'no_answer'
  const isNew = known.capacity === null && stated.capacity > 0
  if (!isNew && stated.capacity !== known.capacity && stated.capacity !== capacity) return 'no_answer'
  return has_figures === false && (stated.people_waiting ?? 0) > 0 ? 'people_wait' : 'not_open'
}

/** So many looks that all disagree with a list are no coincidence of seats that were just taken. */
const MIN_CONTRADICTIONS = 2

/**
 * Whether all answers about a school's openings of one moment disagree with its list. Then the openings that nobody could
 * look at, because the looks or the time had run out, are doubted as well.
 */
export function areContradicted(findings: readonly Finding[]): boolean {
  const contradictions = findings.filter((finding) => finding === 'not_open')
  return contradictions.length >= MIN_CONTRADICTIONS && !findings.includes('open')
}
