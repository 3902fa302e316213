import type { Course, CourseSection } from './contract.ts'

/** Created on first use, because loading the locale takes 8 ms, too long for start-up. */
let collator: Intl.Collator | undefined

/** Natural order: 9 before 10, ignoring case. */
export function naturalOrder(left: string, right: string): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return collator.compare(left, right)
}

/** Courses by code, then level: "CIS 9", "CIS 10", "CIS 10H". */
export function byCourse(left: Pick<Course, 'code' | 'level'>, right: Pick<Course, 'code' | 'level'>): number {
  return naturalOrder(left.code, right.code) || naturalOrder(left.level, right.level)
}

/** Sections by course, then section code, then the school's own number. */
export function bySection(left: CourseSection, right: CourseSection): number {
  return (
    byCourse(left.course, right.course) ||
    left.course.id - right.course.id ||
    naturalOrder(left.section, right.section) ||
    naturalOrder(left.number, right.number)
  )
}
