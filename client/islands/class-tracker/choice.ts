import type { CourseSection, School, Subject, Term } from '../../../src/class-tracker/courses/contract.ts'

/** The cascade: each level is chosen within the ones before it. */
export interface Choice {
  school: School | null
  term: Term | null
  subject: Subject | null
  section: CourseSection | null
}

export type Change =
  | { level: 'school'; to: School | null }
  | { level: 'term'; to: Term | null }
  | { level: 'subject'; to: Subject | null }
  | { level: 'section'; to: CourseSection | null }

export const nothingChosen: Choice = { school: null, term: null, subject: null, section: null }

/** Changing a level resets the lower ones; choosing again what is chosen changes nothing. */
export function choose(choice: Choice, change: Change): Choice {
  if (choice[change.level]?.id === change.to?.id) return choice
  switch (change.level) {
    case 'school':
      return { ...nothingChosen, school: change.to }
    case 'term':
      return { ...choice, term: change.to, subject: null, section: null }
    case 'subject':
      return { ...choice, subject: change.to, section: null }
    case 'section':
      return { ...choice, section: change.to }
  }
}

/** What is remembered of a choice: where the next one probably is. */
export interface Remembered {
  school: number
  term: number
  subject: number
}

/** The remembered school and term, as far as they still exist. The subject waits until its list is there. */
export function recalled(remembered: Remembered | null, schools: readonly School[], terms: readonly Term[]): Choice {
  const school = schools.find(({ id }) => id === remembered?.school) ?? null
  const term = school ? (terms.find(({ id }) => id === remembered?.term) ?? null) : null
  return { ...nothingChosen, school, term }
}
