import type { SourceSection } from '../../sources/source.ts'

/** The instruction list as it is stored; an empty list if the answer left it out. */
export const instructionJson = (section: Pick<SourceSection, 'instruction_list'>): string =>
  JSON.stringify((section.instruction_list ?? []).map(({ name, days_times }) => ({ name, days_times })))

/** Replaces a topic equal to the title, as most are, to avoid hashing it twice. */
const sameAsTitle = '\u0001'

/**
 * A fingerprint of everything about a section except its seats: equal contents have equal fingerprints, and two
 * different ones collide about once in 2^60. Two multiplicative hashes over the UTF-16 units (FNV-1a's step, unlike
 * seeds and primes).
 */
export function fingerprintOf(section: SourceSection): string {
  const { title, topic, number, section_key, flags = [], instruction_list } = section
  const parts = [
    section.code,
    section.level,
    title,
    topic === title ? sameAsTitle : topic,
    section.section,
    number === section_key ? '' : number,
    section.instruction_mode,
    section.component ?? '',
    section.session ?? '',
    section.session_code ?? '',
    section.campus ?? '',
    section.place ?? '',
    section.starts_on ?? '',
    section.ends_on ?? '',
    section.credits ?? '',
    flags.length === 0 ? '' : flags.join(),
  ]
  for (const { name, days_times } of instruction_list ?? []) parts.push(name, days_times)
  return hash(parts)
}

/** Hashes part by part, each ended by a zero: joining them first would cost as much as hashing. */
function hash(parts: readonly string[]): string {
  let one = 0x811c9dc5
  let other = 0x1b873593
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      const unit = part.charCodeAt(index)
      one = Math.imul(one ^ unit, 0x01000193)
      other = Math.imul(other ^ unit, 0x85ebca6b)
      other ^= other >>> 15
    }
    one = Math.imul(one, 0x01000193)
    other = Math.imul(other, 0x85ebca6b)
    other ^= other >>> 15
  }
  // Numbers of 30 bits are written several times faster than longer ones.
  return `${one >>> 2}.${other >>> 2}`
}
