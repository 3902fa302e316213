import { FIGURES } from './judge.ts'
import type { Observation, SectionFlag, Status } from './source.ts'

/** Shared by the many rows without any, which stay in memory until the whole of an answer is believed. */
export const NO_DOUBTS: readonly string[] = []
const NO_FLAGS: readonly SectionFlag[] = []

/** A status by the letter that schools write for it in an `enrl_stat`, or by their words. */
export const STATUS_BY_LETTER: ReadonlyMap<unknown, Status> = new Map([
  ['O', 'open'],
  ['W', 'waitlisted'],
  ['C', 'closed'],
])
export const STATUS_BY_WORD: ReadonlyMap<string, Status> = new Map([
  ['open', 'open'],
  ['closed', 'closed'],
  ['wait', 'waitlisted'],
  ['wait list', 'waitlisted'],
  ['waitlist', 'waitlisted'],
  ['waiting', 'waitlisted'],
])

/** Those that are given. */
export function flagsOf(...flags: readonly (SectionFlag | false)[]): readonly SectionFlag[] {
  // By far the most common case.
  if (flags.every((flag) => flag === false)) return NO_FLAGS
  return flags.filter((flag) => flag !== false)
}

/** An observation of a section's seats only, for callers that only compare seats. */
export function observationOf(observation: Observation): Observation {
  const { section_key, stated, figures, doubts, flags, has_figures, session_code } = observation
  return {
    section_key,
    stated,
    figures,
    doubts,
    ...(flags && { flags }),
    ...(has_figures === false && { has_figures }),
    ...(session_code !== undefined && { session_code }),
  }
}

const TWICE = 'The school lists this section twice, and says different things about it.'

/** Of the flags, those that decide a status. */
const DECIDING_FLAGS = ['canceled', 'held'] as const

function isSameAnswer(one: Observation, other: Observation): boolean {
  const hasSame = (flag: SectionFlag) =>
    (one.flags ?? NO_FLAGS).includes(flag) === (other.flags ?? NO_FLAGS).includes(flag)
  return (
    one.stated === other.stated &&
    FIGURES.every((name) => one.figures[name] === other.figures[name]) &&
    DECIDING_FLAGS.every(hasSame)
  )
}

/** Combines two observations of the same section: the first if they agree, doubted if they do not. */
export function combineTwice<Seen extends Observation>(one: Seen, other: Seen): Seen {
  if (isSameAnswer(one, other)) return other.doubts.length > one.doubts.length ? other : one
  return one.doubts.includes(TWICE) ? one : { ...one, doubts: [...one.doubts, TWICE] }
}

/** Adds a section to those found; one that is already there is combined with it. */
export function addSection<Seen extends Observation>(found: Map<string, Seen>, section: Seen): void {
  const other = found.get(section.section_key)
  found.set(section.section_key, other === undefined ? section : combineTwice(other, section))
}
