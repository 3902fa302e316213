import type { Told } from '../../sources/judge.ts'

/** A section that the school's list calls open and the second look does not, for some rounds in a row. */
export interface DoubtedOpening {
  rounds: number
  /** The last such round, ms since epoch. */
  doubted_at: number
}

/** After this many rounds in a row the list is believed, whatever the second look says. */
export const MAX_DOUBTED_ROUNDS = 3
/** After so many overruled looks in a row they are turned off: a wrong setting must never silence a school. */
export const MAX_OVERRULED_LOOKS = 5
/** Reads closer together than this count as one round, such as one for a new watch or a refresh. */
const MIN_ROUND_MS = 10_000

/** What to do about a section just listed as open: look again, wait for the next round, or believe the list. */
export function nextStep(doubted: DoubtedOpening | undefined, now: number): 'look' | 'wait' | 'overrule' {
  if (!doubted) return 'look'
  if (now - doubted.doubted_at < MIN_ROUND_MS) return 'wait'
  return doubted.rounds >= MAX_DOUBTED_ROUNDS - 1 ? 'overrule' : 'look'
}

/** What a second look found. `no_answer`: no answer came in time, or none that could be believed. */
export type Finding = 'open' | 'not_open' | 'no_answer'

/**
 * Only an answer with the stored capacity counts against the list: systems answer for an unknown section in the same
 * form, with zeros. A full section is not open, even if the school's word for it still is.
 * @param told null without a believed answer
 */
export function findingOf(told: Told | null, stored: { capacity: number | null }): Finding {
  if (told === null || (told.status === 'unknown' && !told.is_full)) return 'no_answer'
  if (told.status === 'open') return 'open'
  if (told.capacity === null) return 'no_answer'
  if (stored.capacity === null) return told.capacity > 0 ? 'not_open' : 'no_answer'
  return told.capacity === stored.capacity ? 'not_open' : 'no_answer'
}

/** So many looks that all disagree with a list are no coincidence of seats that were just taken. */
const MIN_CONTRADICTIONS = 2

/**
 * Whether all answers about a school's openings of one moment disagree with its list. Then the openings that nobody could
 * look at, because the looks or the time had run out, are doubted as well.
 */
export function areContradicted(findings: readonly Finding[]): boolean {
  const answered = findings.filter((finding) => finding !== 'no_answer')
  return answered.length >= MIN_CONTRADICTIONS && !answered.includes('open')
}
