import type { ReactNode } from 'react'
import type {
  RefreshedSections,
  RefreshedSubjects,
  RefreshedTerms,
} from '../../../src/class-tracker/refresh/contract.ts'
import { counted } from '../../components/count-text.ts'

function Found({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className="group small">
      <summary>{summary}</summary>
      <div className="found">{children}</div>
    </details>
  )
}

/** Without duplicates: several careers of one subject may fail for the same reason. */
function Warnings({ heading, sentences }: { heading: string; sentences: readonly string[] }) {
  if (sentences.length === 0) return null
  return (
    <div className="message message-warning">
      <div className="message-text">
        <p>{heading}</p>
        <ul>
          {[...new Set(sentences)].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Unread({ failures }: { failures: readonly string[] }) {
  return <Warnings heading="Not refreshed, data kept:" sentences={failures} />
}

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
  const { courses, courses_count: count, failures, warnings } = result
  return (
    <>
      <Unread failures={failures} />
      <Warnings heading="Some data was missing:" sentences={warnings} />
      {courses.length > 0 && (
        <Found
          summary={
            courses.length < count ? `The first ${courses.length} of ${count} courses` : counted(count, 'course')
          }
        >
          <ul>
            {courses.map(({ id, code, level, title, sections }) => (
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
