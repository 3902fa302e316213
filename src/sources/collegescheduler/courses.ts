import { known, unknown } from '../answer.ts'
import type { Page } from '../http.ts'
import { preview } from '../preview.ts'
import { isRecord } from '../record.ts'
import type { Answer } from '../source.ts'
import { tidy } from '../text.ts'
import { readConnection } from './envelope.ts'

/** A course of a term. Its id is the system's own and also identifies the term. */
export interface Course {
  id: string
  /** "BIOL" and "101" */
  subject: string
  level: string
  title: string
}

export interface CoursePage {
  courses: Course[]
  next: string | null
}

/** A page of courses. A course that does not identify itself could be any, so nobody knows what is missing. */
export function readCourses(page: Page): Answer<CoursePage> {
  const read = readConnection(page, 'findCourses')
  if (!read.known) return read
  const courses: Course[] = []
  for (const node of read.value.nodes) {
    const course = readCourse(node)
    if (course === null) {
      return unknown('incomplete', `A course does not say which it is: ${preview(node, 80)}.`)
    }
    courses.push(course)
  }
  return known({ courses, next: read.value.next })
}

function readCourse(node: unknown): Course | null {
  if (!isRecord(node) || !isRecord(node['subject']) || typeof node['id'] !== 'string') return null
  const { id } = node
  const [subject, level] = [textOf(node['subject']['shortName']), textOf(node['courseNumber'])]
  return id === '' || subject === '' || level === '' ? null : { id, subject, level, title: textOf(node['title']) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? tidy(value) : ''
}
