import type { Figures, Observation, SectionFlag } from './source.ts'

/** Shared by the many rows without any, which stay in memory until the whole of an answer is believed. */
export const NO_DOUBTS: readonly string[] = []
export const NO_FLAGS: readonly SectionFlag[] = []

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

const TWICE = 'The school lists this section twice, with different figures.'

/** Combines two observations of the same section: the first if they agree, doubted if they do not. */
export function combineTwice<Seen extends Observation>(one: Seen, other: Seen): Seen {
  if (one.stated === other.stated && isSame(one.figures, other.figures)) {
    return other.doubts.length > one.doubts.length ? other : one
  }
  return one.doubts.includes(TWICE) ? one : { ...one, doubts: [...one.doubts, TWICE] }
}

/** Adds a section to those found; one that is already there is combined with it. */
export function addSection<Seen extends Observation>(found: Map<string, Seen>, section: Seen): void {
  const other = found.get(section.section_key)
  found.set(section.section_key, other === undefined ? section : combineTwice(other, section))
}

function isSame(one: Figures, other: Figures): boolean {
  return (
    one.capacity === other.capacity &&
    one.enrolled === other.enrolled &&
    one.available === other.available &&
    one.waitlist_total === other.waitlist_total &&
    one.waitlist_capacity === other.waitlist_capacity &&
    one.waitlist_available === other.waitlist_available &&
    one.shared_capacity === other.shared_capacity &&
    one.shared_total === other.shared_total &&
    one.shared_available === other.shared_available &&
    one.unreserved_available === other.unreserved_available
  )
}
