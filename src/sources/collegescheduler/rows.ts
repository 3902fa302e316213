import { readFigure } from '../figure.ts'
import { NO_FIGURES } from '../judge.ts'
import { isRecord } from '../record.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import type { Course } from './courses.ts'
import { readInstruction, readPlaceAndDates } from './meetings.ts'

/**
 * A section of a course; null where the row does not say which. Two figures are all it tells of seats: nothing of a waiting
 * list, of seats kept for some, of a shared room, and no status in words.
 */
export function readRow(node: unknown, { subject, level, title }: Course): SourceSection | null {
  if (!isRecord(node)) return null
  const number = typeof node['registrationNumber'] === 'string' ? tidy(node['registrationNumber']) : ''
  if (number === '') return null
  const doubts: string[] = []
  const capacity = readFigure(node, 'totalSeats', doubts)
  const available = readFigure(node, 'openSeats', doubts)
  // Where a class is overfull, nobody has seen what this system shows.
  if (available !== null && available < 0) doubts.push(`The school gives ${available} free seats.`)
  return {
    section_key: number,
    stated: null,
    figures: { ...NO_FIGURES, capacity, available },
    doubts,
    subject,
    code: subject,
    level,
    title,
    number,
    section: tidy(node['sectionNumber']),
    topic: '',
    instruction_list: readInstruction(node),
    instruction_mode: tidy(node['instructionMode']),
    component: tidy(node['component']),
    campus: tidy(node['campus']),
    ...readPlaceAndDates(node['meetings']),
  }
}
