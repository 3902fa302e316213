import { known, unknown } from '../answer.ts'
import type { Answer, GroupSections, SourceSection } from '../source.ts'
import type { CourseSearch } from './course-search.ts'
import type { Course } from './courses.ts'

/**
 * How many courses a page of a whole term has; each costs a request, which is lost if the budget ends within a page.
 */
const COURSES_PER_PAGE = 10

/** The sections of several courses, requested in turn; unknown as soon as one is. */
export async function sectionsOf(search: CourseSearch, courses: readonly Course[]): Promise<Answer<SourceSection[]>> {
  const sections: SourceSection[] = []
  const warnings: string[] = []
  for (const course of courses) {
    const answer = await search.sections(course)
    if (!answer.known) return answer
    sections.push(...answer.value)
    warnings.push(...answer.warnings)
  }
  return known(sections, warnings)
}

/**
 * The sections of a subject. An empty list is not believed, because a subject is listed only if one of its courses is.
 */
export async function readGroup(search: CourseSearch, term: string, subject: string): Promise<Answer<GroupSections>> {
  const courses = await search.courses(term)
  if (!courses.known) return courses
  const answer = await sectionsOf(
    search,
    courses.value.filter((course) => course.subject === subject),
  )
  if (!answer.known) return answer
  if (answer.value.length === 0) return unknown('incomplete', `The school lists no section of ${subject}.`)
  return known({ sections: answer.value, stated_count: answer.value.length }, answer.warnings)
}

/** A whole term, a few courses at a time; `from` is the cursor of the system's own list of courses. */
export async function* readTerm(
  search: CourseSearch,
  term: string,
  from: string | null,
): AsyncGenerator<Answer<GroupSections>> {
  const given = new Set<string>()
  let hasSections = from !== null
  const cursors = new Set<string>()
  let after = from
  do {
    if (after !== null) cursors.add(after)
    const page = await search.coursePage(term, COURSES_PER_PAGE, after)
    if (!page.known) return yield page
    const { courses, next } = page.value
    if (next !== null && cursors.has(next))
      return yield unknown('incomplete', "The pages of the school's list of courses repeat.")
    const answer = await sectionsOf(
      search,
      courses.filter(({ id }) => !given.has(id)),
    )
    if (!answer.known) return yield answer
    for (const { id } of courses) given.add(id)
    hasSections ||= answer.value.length > 0
    after = next
    if (after === null && !hasSections) {
      return yield unknown('incomplete', 'The school finds no section in the whole term.')
    }
    yield known({ sections: answer.value, stated_count: null, next: after }, answer.warnings)
  } while (after !== null)
}
