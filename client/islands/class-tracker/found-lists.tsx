import type { ReactNode } from 'react'
import type { RefreshedSections, RefreshedSubjects, RefreshedTerms } from '../../../src/class-tracker/contract.ts'
import { coursesInOrder } from './refresh-results.ts'
import { counted } from './section-text.ts'

function Found({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className="small">
      <summary>{summary}</summary>
      <div className="found">{children}</div>
    </details>
  )
}

/** What could not be read. Careers of one subject may fail alike, and are told once. */
function Unread({ failures }: { failures: readonly string[] }) {
  if (failures.length === 0) return null
  return (
    <div className="message message-warning">
      <div className="message-text">
        <p>These could not be read and are as they were:</p>
        <ul>
          {[...new Set(failures)].map((failure) => (
            <li key={failure}>{failure}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** The terms and schools there are now. */
export function FoundTerms({ result }: { result: RefreshedTerms }) {
  const { available_terms: terms, available_schools: schools, failures } = result
  return (
    <>
      <Unread failures={failures} />
      <Found summary={`${counted(terms.length, 'term')}, ${counted(schools.length, 'school')} available`}>
        <ul>
          {terms.map(({ id, full_term_name: name }) => (
            <li key={id}>{name}</li>
          ))}
          {schools.map(({ id, name }) => (
            <li key={`school-${id}`} className="muted">
              {name}
            </li>
          ))}
        </ul>
      </Found>
    </>
  )
}

export function FoundSubjects({ result }: { result: RefreshedSubjects }) {
  const { available_subjects: subjects, failures } = result
  return (
    <>
      <Unread failures={failures} />
      {subjects.length > 0 && (
        <Found summary={counted(subjects.length, 'subject')}>
          <ul>
            {subjects.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </Found>
      )}
    </>
  )
}

/** Courses with the numbers of their sections, and what could not be read. */
export function FoundCourses({ result }: { result: RefreshedSections }) {
  const { courses, courses_count: count, failures } = result
  return (
    <>
      <Unread failures={failures} />
      {courses.length > 0 && (
        <Found
          summary={
            courses.length < count ? `The first ${courses.length} of ${count} courses` : counted(count, 'course')
          }
        >
          <ul>
            {coursesInOrder(courses).map(({ id, code, level, title, sections }) => (
              <li key={id}>
                <span className="strong">
                  {code} {level}
                </span>{' '}
                {title} <span className="muted numbers">{sections.map(({ number }) => number).join(', ')}</span>
              </li>
            ))}
          </ul>
        </Found>
      )}
    </>
  )
}
