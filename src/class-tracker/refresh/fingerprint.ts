import type { SourceSection } from '../../sources/source.ts'
import { remembered } from '../../sources/remembered.ts'

/** The instruction list as it is stored; an empty list where the answer did not carry it. */
export const instructionJson = (section: Pick<SourceSection, 'instruction_list'>): string =>
  JSON.stringify((section.instruction_list ?? []).map(({ name, days_times }) => ({ name, days_times })))

/** Stands for a topic equal to the title, as most are, to avoid hashing it twice. */
const sameAsTitle = '\u0001'

/**
 * A fingerprint of everything about a section except its seats: equal contents have equal fingerprints, and two
 * different ones collide about once in 2^64. Two multiplicative hashes over the UTF-16 units (FNV-1a's step, unlike
 * seeds and primes).
 */
export function fingerprintOf(section: SourceSection): string {
  const { code, level, title, section: sectionCode, topic, instruction_mode, place = '' } = section
  const parts = [code, level, title, sectionCode, topic === title ? sameAsTitle : topic, instruction_mode, place]
  if (section.number !== section.section_key) parts.push(section.number)
  for (const { name, days_times } of section.instruction_list ?? []) parts.push(name, days_times)
  const { one, other } = hash(parts, hashOfShared(sharedTexts(section)))
  return `${one >>> 0}.${other >>> 0}`
}

/** The values that many sections of a term share, as one text. */
function sharedTexts(section: SourceSection): string {
  const { component, session, session_code, campus, starts_on, ends_on, credits, flags = [] } = section
  const flag = flags.length === 0 ? '' : flags.join()
  return `${component}\0${session}\0${session_code}\0${campus}\0${starts_on}\0${ends_on}\0${credits}\0${flag}`
}

interface Hash {
  one: number
  other: number
}

const hashOfShared = remembered((text) => hash([text], { one: 0x811c9dc5, other: 0x1b873593 }))

/** Hashes part by part, each ended by a zero: joining them first would cost as much as hashing. */
function hash(parts: readonly string[], start: Hash): Hash {
  let { one, other } = start
  for (const part of parts) {
    for (let index = 0; index <= part.length; index += 1) {
      const unit = index < part.length ? part.charCodeAt(index) : 0
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x85ebca6b)
      other ^= other >>> 15
    }
  }
  return { one, other }
}
