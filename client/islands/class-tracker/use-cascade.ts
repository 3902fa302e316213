import { useCallback, useEffect, useReducer, useState } from 'react'
import type { School, Term } from '../../../src/class-tracker/courses/contract.ts'
import { recall, remember } from '../../storage.ts'
import { useLevel } from '../../use-level.ts'
import { calls } from './calls.ts'
import { choose, recalled, type Change, type Remembered } from './choice.ts'

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
  const [attempt, setAttempt] = useState(0)
  const school = choice.school?.id ?? null
  const term = choice.term?.id ?? null
  const subject = choice.subject?.id ?? null

  const subjects = useLevel(
    school !== null && term !== null ? `${school} ${term} ${attempt}` : null,
    async (signal) => (await calls.getSubjects(school ?? 0, term ?? 0, signal)).subjects,
  )
  const sections = useLevel(
    term !== null && subject !== null ? `${term} ${subject} ${attempt}` : null,
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
    /** Loads again what could not be loaded. */
    tryAgain: () => setAttempt((before) => before + 1),
  }
}

export type Cascade = ReturnType<typeof useCascade>
