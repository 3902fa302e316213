import { readFigure } from '../figure.ts'
import { NO_FIGURES } from '../judge.ts'
import { isRecord } from '../record.ts'
import type { SourceSection } from '../source.ts'
import { tidy } from '../text.ts'
import type { Course } from './courses.ts'
import { readDates, readInstruction, readPlace } from './meetings.ts'

/**
 * A section of a course; null if the row does not identify it. It has only two figures of seats: no waiting list, no
 * reserved or shared seats, and no status as text.
 */
export function readRow(node: unknown, { subject, level, title }: Course): SourceSection | null {
  if (!isRecord(node)) return null
  const number = typeof node['registrationNumber'] === 'string' ? tidy(node['registrationNumber']) : ''
  if (number === '') return null
  const doubts: string[] = []
  const capacity = readFigure(node, 'totalSeats', doubts)
  const available = readFigure(node, 'openSeats', doubts)
  // What this system shows for an overfull class has never been seen.
  if (available !== null && available < 0) doubts.push(`The school gives ${available} free seats.`)
  const { starts_on, ends_on } = readDates(node['meetings'])
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
    place: readPlace(node['meetings']),
    starts_on,
    ends_on,
  }
}
