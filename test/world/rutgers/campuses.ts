import { subjectsAmong } from '../schools/catalog.ts'
import type { Section } from '../schools/types.ts'

/** The campuses of Rutgers, by the code that a query uses. */
export const CAMPUSES = [
  { code: 'NB', name: 'Rutgers University–New Brunswick' },
  { code: 'NK', name: 'Rutgers University–Newark' },
  { code: 'CM', name: 'Rutgers University–Camden' },
] as const

/**
 * A campus's part of a term's sections: the first campus has all of them, and each of the others those of one subject.
 */
export function sectionsAt(campus: string, sections: readonly Section[]): Section[] {
  const place = CAMPUSES.findIndex(({ code }) => code === campus)
  if (place < 0) return []
  const subject = subjectsAmong(sections)[place - 1]
  return sections.filter(({ course }) => place === 0 || course.subject.code === subject?.code)
}
