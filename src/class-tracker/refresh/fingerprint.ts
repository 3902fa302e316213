import type { SourceSection } from '../../sources/source.ts'
import { detailsOf } from './section-details.ts'

/** The instruction list as it is stored; an empty list where the answer did not carry it. */
export const instructionJson = (section: Pick<SourceSection, 'instruction_list'>): string =>
  JSON.stringify((section.instruction_list ?? []).map(({ name, days_times }) => ({ name, days_times })))

/** Stands for a topic that is the title, as most are: it needs no hashing twice. */
const sameAsTitle = '\u0001'

/**
 * A short name for everything about a section but its seats: equal contents have equal fingerprints, and two unlike ones
 * share one about once in 2^64. Two multiplicative hashes over the UTF-16 units (FNV-1a's step, unlike seeds and primes).
 */
export function fingerprintOf(section: SourceSection): string {
  const { code, level, title, section: sectionCode, topic, instruction_mode } = section
  const parts = [code, level, title, sectionCode, topic === title ? sameAsTitle : topic, instruction_mode]
  for (const { name, days_times } of section.instruction_list ?? []) parts.push(name, days_times)
  parts.push(...detailsOf(section))
  let one = 0x811c9dc5
  let other = 0x1b873593
  // Part by part, each ended by a zero: joining them first costs as much as hashing.
  for (const part of parts) {
    for (let index = 0; index <= part.length; index += 1) {
      const unit = index < part.length ? part.charCodeAt(index) : 0
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x85ebca6b)
      other ^= other >>> 15
    }
  }
  return `${one >>> 0}.${other >>> 0}`
}
