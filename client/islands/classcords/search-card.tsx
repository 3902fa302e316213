import { useCallback, useState } from 'react'
import type { Course, Subject } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useRunning } from '../../components/use-running.ts'
import { useLevel } from '../../use-level.ts'
import type { ClasscordsCalls } from './calls.ts'
import { isSearch, type ExploreQuery } from './explore-query.ts'
import { courseTitle } from './server-text.ts'

interface SearchCardProps {
  query: ExploreQuery
  /** Kept in a search without scripts, too. */
  referral: string | null
  isSearching: boolean
  calls: ClasscordsCalls
  onSearch: (change: Partial<ExploreQuery>) => void
}

const idOf = ({ id }: { id: number }): number => id
const nameOf = ({ name }: Subject): string => name

/** The search: a subject, one of its courses, and keywords. Without scripts it is a form with keywords alone. */
export function SearchCard({ query, referral, isSearching, calls, onSearch }: SearchCardProps) {
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

  return (
    <form
      role="search"
      className="card card-body stack"
      action="/classcords/all/"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch({})
      }}
    >
      <div className="search-fields">
        <div className="only-script">
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
        </div>
        <div className="only-script">
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
        </div>
        <Field id="search-words" label="Keywords">
          <SearchField
            id="search-words"
            name="q"
            maxLength={200}
            placeholder="Server, course or topic"
            value={q}
            onValue={(words) => onSearch({ q: words })}
          />
        </Field>
      </div>
      {!isRunning && subjectId !== null && <input type="hidden" name="subject_id" value={subjectId} />}
      {!isRunning && courseId !== null && <input type="hidden" name="course_id" value={courseId} />}
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <div className="row">
        <Button kind="primary" type="submit" busy={isSearching} disabled={isRunning && !isSearch(query)}>
          Search
        </Button>
        {isSearch(query) && (
          <a
            className="button"
            href="/classcords/all/"
            onClick={(event) => {
              event.preventDefault()
              onSearch({ subjectId: null, courseId: null, q: '' })
            }}
          >
            Clear
          </a>
        )}
        {isLost && (
          <Button icon="refresh" onClick={() => setAttempt((last) => last + 1)}>
            Load subjects and courses again
          </Button>
        )}
      </div>
    </form>
  )
}
