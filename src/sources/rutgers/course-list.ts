import { answeredWith, known, unknown, type Unknown } from '../answer.ts'
import { ArrayRows } from '../array-rows.ts'
import { MalformedJson } from '../json-bytes.ts'
import { addSection } from '../observation.ts'
import type { Answer, SourceSection } from '../source.ts'
import type { FoundSections } from '../subject-pages.ts'
import { readCourse } from './courses.ts'

/**
 * If the list of open sections lacks more than this share of the sections that their courses call open, it is of
 * another term or incomplete.
 */
const MAX_CLOSED_SINCE = 1 / 3

/** The list of all courses of a campus in a term, read while it arrives. */
export class CourseList {
  readonly #campus: string
  readonly #open: ReadonlySet<string>
  readonly #rows = new ArrayRows((row) => this.#add(row))
  readonly #sections = new Map<string, SourceSection>()
  #unidentified = 0
  #saidOpen = 0
  #closedSince = 0
  #mismatch: string | null = null

  /** @param open numbers of the open sections of the term */
  constructor(campus: string, open: ReadonlySet<string>) {
    this.#campus = campus
    this.#open = open
  }

  take(piece: Uint8Array): void {
    this.#rows.take(piece)
  }

  /** Everything that has arrived, at the end; unknown unless all of it answers the question. */
  end(): Answer<FoundSections> {
    const count = this.#endRows()
    if (typeof count !== 'number') return count
    if (count === 0) return unknown('incomplete', 'The school lists no course in the whole term.')
    if (this.#mismatch !== null) return unknown('wrong_scope', this.#mismatch)
    if (this.#closedSince > this.#saidOpen * MAX_CLOSED_SINCE) {
      const why = `Of ${this.#saidOpen} open sections ${this.#closedSince} are not in the list of open sections.`
      return unknown('incomplete', why)
    }
    const unidentified = this.#unidentified
    const warnings = unidentified === 0 ? [] : [`${unidentified} courses or sections do not say which they are.`]
    if (!this.#rows.isReadable) warnings.push('Some characters could not be read.')
    return known({ sections: [...this.#sections.values()], unidentified }, warnings)
  }

  #endRows(): number | Unknown {
    try {
      return this.#rows.end()
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error
      return unknown('incomplete', `The school's response is not a complete list of courses: ${error.message}`)
    }
  }

  #add(row: unknown): void {
    const course = readCourse(row, this.#open)
    if (course === null) {
      this.#unidentified++
      return
    }
    if (course.campus !== '' && course.campus !== this.#campus) {
      this.#mismatch ??= answeredWith('campus', this.#campus, course.campus)
    }
    this.#unidentified += course.unidentified
    this.#saidOpen += course.saidOpen
    this.#closedSince += course.closedSince
    for (const section of course.sections) addSection(this.#sections, section)
  }
}
