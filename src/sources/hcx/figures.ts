import { readFigure, type Row } from '../json-page.ts'
import { NO_FIGURES } from '../judge.ts'
import { flagsOf, STATUS_BY_LETTER, STATUS_BY_WORD } from '../observation.ts'
import type { Figures, SectionFlag, Status } from '../source.ts'
import { tidy } from '../text.ts'

/** The names of the figures, which differ between a row of a list and the details of one section. */
export const IN_ROWS = { waitlist_total: 'wait_tot', waitlist_capacity: 'wait_cap' } as const
export const IN_DETAILS = { waitlist_total: 'wait_list_total', waitlist_capacity: 'wait_list_capacity' } as const

/** What schools write for a list without limit, from which no number of places follows. */
const NO_LIMIT: ReadonlySet<number> = new Set([99, 199, 999])

/** A status by its letter, which the word beside it must not contradict. */
export function statusByLetter(letter: unknown, word: unknown, doubts: string[]): Status {
  const status = STATUS_BY_LETTER.get(tidy(letter)) ?? 'unknown'
  const said = statusByWord(word)
  if (said !== 'unknown' && said !== status) {
    doubts.push(`The school gives the status both as ${tidy(letter) || 'nothing'} and as ${tidy(word)}.`)
  }
  return status
}

export function statusByWord(word: unknown): Status {
  return STATUS_BY_WORD.get(tidy(word).toLowerCase()) ?? 'unknown'
}

/**
 * The figures of a section. The school's status decides, because free seats may be held for someone; but "open" is
 * doubted unless the row also has free seats and the number of people waiting.
 */
export function readFigures(
  row: Row,
  names: typeof IN_ROWS | typeof IN_DETAILS,
  { stated, isCombined, doubts }: { stated: Status; isCombined: boolean; doubts: string[] },
): Figures {
  const capacity = readFigure(row, 'class_capacity', doubts)
  const enrolled = readFigure(row, 'enrollment_total', doubts)
  const available = readFigure(row, 'enrollment_available', doubts)
  const waiting = readFigure(row, names.waitlist_total, doubts)
  const places = readFigure(row, names.waitlist_capacity, doubts)
  if (stated === 'open' && available === null) doubts.push('The school does not report how many seats are free.')
  if (stated === 'open' && waiting === null) doubts.push('The school does not report how many people are waiting.')
  return {
    ...NO_FIGURES,
    capacity,
    // Fewer of the shared seats may be left than of the section's own seats.
    enrolled: isCombined && isFewer(available, capacity, enrolled) ? null : enrolled,
    available,
    waitlist_total: waiting,
    waitlist_capacity: places !== null && NO_LIMIT.has(places) ? null : places,
  }
}

function isFewer(available: number | null, capacity: number | null, enrolled: number | null): boolean {
  if (available === null || capacity === null || enrolled === null || enrolled < 0) return false
  return available < capacity - enrolled
}

/** The other marks of the row: `status` is the letter of the section itself, not of its seats. */
export function readFlags(
  status: unknown,
  { isCombined, reserved, consent }: { isCombined: boolean; reserved: unknown; consent: unknown },
  doubts: string[],
): readonly SectionFlag[] {
  const letter = tidy(status)
  if (letter !== '' && letter !== 'A' && letter !== 'X') doubts.push(`The school says that the section is "${letter}".`)
  const needed = tidy(consent)
  return flagsOf(
    letter === 'X' && 'canceled',
    needed !== '' && !/^no\b/i.test(needed) && 'permission',
    // No known answer says who they are reserved for, or how many there are.
    isGiven(reserved) && 'held',
    isCombined && 'combined',
  )
}

/** Some schools write a letter, others true or false; N and D mean not combined. */
export function isCombined(value: unknown): boolean {
  return value === true || /^[CY]/i.test(tidy(value))
}

function isGiven(reserved: unknown): boolean {
  if (Array.isArray(reserved)) return reserved.length > 0
  return reserved !== undefined && reserved !== null && reserved !== '' && reserved !== false
}
