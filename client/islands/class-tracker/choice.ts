import type { CourseSection, School, Subject, Term } from '../../../src/class-tracker/courses/contract.ts'

/** The cascade: each level offers options within the levels before it. */
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

/** Changing a level resets the levels below it; selecting the same value again changes nothing. */
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

/** The part of a choice that is remembered, because the next one is likely to be similar. */
export interface Remembered {
  school: number
  term: number
  subject: number
}

/** The remembered school and term, if they still exist. The subject has to wait until its list is loaded. */
export function recalled(remembered: Remembered | null, schools: readonly School[], terms: readonly Term[]): Choice {
  const school = schools.find(({ id }) => id === remembered?.school) ?? null
  const term = school ? (terms.find(({ id }) => id === remembered?.term) ?? null) : null
  return { ...nothingChosen, school, term }
}
