import { useCallback, useEffect, useReducer, useState } from 'react'
import type { School, Term, CourseSection, Subject } from '../../../src/class-tracker/courses/contract.ts'
import { recall, remember } from '../../storage.ts'
import { useLevel } from '../../use-level.tsx'
import { calls } from './calls.ts'

/** The cascade: each level offers options within the levels before it. */
export interface Choice {
  school: School | null
  term: Term | null
  subject: Subject | null
  section: CourseSection | null
}

type Change =
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
interface Remembered {
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

const memory = 'class-tracker:last-choice'

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== 'object' || value === null) return false
  const levels: Record<string, unknown> = { ...value }
  return ['school', 'term', 'subject'].every((level) => typeof levels[level] === 'number')
}

/** The choice of a section from school down, starting with the remembered choice. */
export function useCascade(schools: readonly School[], terms: readonly Term[]) {
  const [last, setLast] = useState(() => recall('local', memory, isRemembered))
  const [choice, dispatch] = useReducer(choose, null, () => recalled(last, schools, terms))
  const school = choice.school?.id ?? null
  const term = choice.term?.id ?? null
  const subject = choice.subject?.id ?? null

  const subjects = useLevel(
    school !== null && term !== null ? `${school} ${term}` : null,
    async (signal) => (await calls.getSubjects(school ?? 0, term ?? 0, signal)).subjects,
  )
  const sections = useLevel(
    term !== null && subject !== null ? `${term} ${subject}` : null,
    async (signal) => (await calls.getCourseSections(term ?? 0, subject ?? 0, signal)).sections,
  )

  const change = useCallback((made: Change) => {
    setLast(null)
    dispatch(made)
  }, [])
  useEffect(() => {
    const again = subjects.items?.find(({ id }) => id === last?.subject)
    if (again) change({ level: 'subject', to: again })
  }, [subjects.items, last, change])

  return {
    choice,
    change,
    subjects,
    sections,
    /** Remembers school, term and subject for the next time. */
    keep: () => remember('local', memory, { school, term, subject }),
  }
}

export type Cascade = ReturnType<typeof useCascade>
