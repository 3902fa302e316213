import { CourseList } from '../../../src/sources/rutgers/course-list.ts'
import type { Figure } from '../report.ts'
import { generateTermAtOnce } from '../term-at-once.ts'
import { compareCpu, ratioFigure } from './pair.ts'

/** As much as a network delivers at a time. */
const PIECE_BYTES = 64 * 1024
/** Each takes half a second. */
const PAIRS = 9

/** CPU of a whole term in one answer against `JSON.parse` of the same bytes. */
export async function measureRutgersCpu(): Promise<Figure[]> {
  const { courses, openSections, campus, sections } = generateTermAtOnce()
  const open = new Set(JSON.parse(openSections) as string[])
  const justJson = (): void => {
    JSON.parse(new TextDecoder().decode(courses))
  }
  const understand = (): void => {
    const list = new CourseList(campus, open)
    for (let at = 0; at < courses.length; at += PIECE_BYTES) list.take(courses.subarray(at, at + PIECE_BYTES))
    const found = list.end()
    if (!found.known || found.value.sections.length !== sections) throw new Error('The term was not understood.')
  }
  return [
    ratioFigure('JSON.parse against itself (the spread)', await compareCpu(justJson, justJson, PAIRS)),
    ratioFigure('parse and normalize', await compareCpu(understand, justJson, PAIRS), 2),
  ]
}
