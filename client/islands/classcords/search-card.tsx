import { useCallback, useState } from 'react'
import type { Course, Subject } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Icon } from '../../components/icon.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useRunning } from '../../components/use-running.ts'
import { useLevel } from '../../use-level.ts'
import type { ClasscordsCalls } from './calls.ts'
import { type ExploreQuery } from './explore-query.ts'
import { countText, courseTitle } from './server-text.ts'

interface SearchCardProps {
  query: ExploreQuery
  /** Kept in a search without scripts, too. */
  referral: string | null
  isSearching: boolean
  /** How many servers there are now. */
  found: number
  calls: ClasscordsCalls
  onSearch: (change: Partial<ExploreQuery>) => void
}

const idOf = ({ id }: { id: number }): number => id
const nameOf = ({ name }: Subject): string => name

/**
 * The search: keywords, a subject and one of its courses, which on a phone are a sheet. Without scripts it is a form with keywords alone.
 */
export function SearchCard({ query, referral, isSearching, found, calls, onSearch }: SearchCardProps) {
  const { subjectId, courseId, q } = query
  const isRunning = useRunning()
  const [attempt, setAttempt] = useState(0)
  const loadSubjects = useCallback(
    (signal: AbortSignal) => calls.getSubjects(signal).then(({ subjects }) => subjects),
    [calls],
  )
  const loadCourses = useCallback(
    async (signal: AbortSignal) => (subjectId === null ? [] : (await calls.getCourses(subjectId, signal)).courses),
    [calls, subjectId],
  )
  const subjects = useLevel<Subject>(isRunning ? loadSubjects : null, attempt)
  const courses = useLevel<Course>(isRunning && subjectId !== null ? loadCourses : null, attempt)
  const isLost = subjects.errors.length + courses.errors.length > 0

  const chosen = [subjectId, courseId].filter((id) => id !== null).length

  return (
    <form
      role="search"
      className="find"
      action="/classcords/all/"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch({})
      }}
    >
      <div className="finder dock">
        <div className="field grow">
          <label className="hidden-visually" htmlFor="search-words">
            Keywords
          </label>
          <SearchField
            id="search-words"
            name="q"
            maxLength={200}
            placeholder="Course, code or school"
            value={q}
            onValue={(words) => onSearch({ q: words })}
          />
        </div>
        <button type="button" className="button filter-button only-script" popoverTarget="filters">
          <Icon name="filter" />
          <span className="hidden-visually">Filters</span>
          {chosen > 0 && <span className="badge tone-info">{chosen}</span>}
        </button>
        <button type="submit" className="button only-plain">
          Search
        </button>
      </div>
      {!isRunning && subjectId !== null && <input type="hidden" name="subject_id" value={subjectId} />}
      {!isRunning && courseId !== null && <input type="hidden" name="course_id" value={courseId} />}
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <div id="filters" className="filters only-script" popover="auto" role="group" aria-label="Filters">
        <p className="filters-title">Filters</p>
        <Combobox
          id="search-subject"
          label="Subject"
          options={subjects.items ?? []}
          value={subjects.items?.find(({ id }) => id === subjectId) ?? null}
          keyOf={idOf}
          textOf={nameOf}
          loading={subjects.items === null}
          placeholder="All subjects"
          emptyText={subjects.errors[0] ?? 'No subjects yet.'}
          onChoose={(subject) => onSearch({ subjectId: subject?.id ?? null })}
        />
        <Combobox
          id="search-course"
          label="Course"
          options={courses.items ?? []}
          value={courses.items?.find(({ id }) => id === courseId) ?? null}
          keyOf={idOf}
          textOf={courseTitle}
          disabled={subjectId === null}
          loading={courses.items === null}
          placeholder={subjectId === null ? 'Choose a subject first' : 'All courses'}
          emptyText={courses.errors[0] ?? 'This subject has no courses yet.'}
          onChoose={(course) => onSearch({ courseId: course?.id ?? null })}
        />
        {isLost && (
          <Button icon="refresh" onClick={() => setAttempt((last) => last + 1)}>
            Load subjects and courses again
          </Button>
        )}
        <button
          type="button"
          className="button button-primary button-large filters-done"
          popoverTarget="filters"
          popoverTargetAction="hide"
        >
          {isSearching ? 'Searching…' : `Show ${countText(found, 'server')}`}
        </button>
      </div>
    </form>
  )
}
