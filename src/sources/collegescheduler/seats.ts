import { known } from '../answer.ts'
import { observationOf } from '../observation.ts'
import { type Piece, readByPieces } from '../pieces.ts'
import type { Answer, Group, GroupSeats, Observation, Tools, WatchedGroup } from '../source.ts'
import { noneListed } from '../watched-sections.ts'
import type { CourseSearch } from './course-search.ts'
import type { Course } from './courses.ts'
import { sectionsOf } from './groups.ts'

/** Reads seats course by course, as the system requires: a search for the course, then its sections. */
export function readSeats(
  search: CourseSearch,
  tools: Pick<Tools, 'now' | 'deadline'>,
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  return readByPieces(tools, groups, ({ group, watched }): Piece[] =>
    [...Map.groupBy(watched, ({ level }) => level)].map(([level, ofCourse]) => {
      const keys = ofCourse.map(({ section_key }) => section_key)
      return { keys, ask: () => readPiece(search, group, level, new Set(keys)) }
    }),
  )
}

async function readPiece(
  search: CourseSearch,
  { term, subject }: Group,
  level: string,
  keys: ReadonlySet<string>,
): Promise<Answer<Observation[]>> {
  const courses = await coursesOf(search, term, subject, level)
  if (!courses.known) return courses
  const answer = await sectionsOf(search, courses.value)
  if (!answer.known) return answer
  if (answer.value.length === 0) return noneListed({ subject: `${subject} ${level}`.trim(), subject_name: '' })
  const seen = answer.value.filter(({ section_key }) => keys.has(section_key))
  return known(seen.map(observationOf), answer.warnings)
}

/** If a section's course is not known: every course of the subject. */
async function coursesOf(
  search: CourseSearch,
  term: string,
  subject: string,
  level: string,
): Promise<Answer<Course[]>> {
  if (level !== '') return search.find(term, subject, level)
  const all = await search.courses(term)
  return all.known ? known(all.value.filter((course) => course.subject === subject)) : all
}
