import { useCallback, useEffect, useState } from 'react'
import type {
  RefreshedSections,
  RefreshedSubjects,
  School,
  Subject,
  Term,
} from '../../../src/class-tracker/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { useLater } from '../../components/use-later.tsx'
import { messagesOf } from '../../errors.ts'
import type { ClassTrackerCalls } from './calls.ts'
import { FoundCourses, FoundSubjects } from './found-lists.tsx'
import { RefreshOutcome } from './refresh-outcome.tsx'
import { isRefreshedSections, isRefreshedSubjects } from './refresh-results.ts'
import { useRefresh } from './use-refresh.ts'

interface RefreshCoursesProps {
  schools: readonly School[]
  terms: readonly Term[]
  calls: ClassTrackerCalls
  onRefreshed: () => void
}

/** In the calls, 0 is every school, and every subject. */
const allSchools: School = { id: 0, name: 'All Schools' }
const allSubjects: Subject = { id: 0, name: 'All Subjects' }

const idOf = ({ id }: Subject): number => id
const nameOf = ({ name }: Subject): string => name

interface Subjects {
  items: readonly Subject[]
  isLoading: boolean
  errors: string[]
}

/** The subjects of the chosen school and term; another `version` reloads them. */
function useSubjects(calls: ClassTrackerCalls, school: number, term: number, version: number): Subjects {
  const [subjects, setSubjects] = useState<Subjects>({ items: [], isLoading: false, errors: [] })
  useEffect(() => {
    if (term === 0) return
    const leaving = new AbortController()
    setSubjects((shown) => ({ ...shown, isLoading: true, errors: [] }))
    calls.getSubjects(school, term, leaving.signal).then(
      (answer) => setSubjects({ items: answer.subjects, isLoading: false, errors: [] }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setSubjects({ items: [], isLoading: false, errors: messagesOf(error) })
      },
    )
    return () => leaving.abort()
  }, [calls, school, term, version])
  return subjects
}

const loadConfirmDialog = async () => (await import('../../components/confirm-dialog.tsx')).ConfirmDialog

/** Subjects, then sections, of a school (or all of them) in a term. */
export function RefreshCourses({ schools, terms, calls, onRefreshed }: RefreshCoursesProps) {
  const [chosenSchool, setSchool] = useState<number | null>(null)
  const [chosenTerm, setTerm] = useState<number | null>(null)
  const [subject, setSubject] = useState<Subject>(allSubjects)
  const [version, setVersion] = useState(0)
  const [asking, setAsking] = useState<'subjects' | 'sections' | null>(null)
  const { Loaded: ConfirmDialog, prepare: prepareToAsk, failure } = useLater(loadConfirmDialog)

  const school = chosenSchool ?? schools[0]?.id ?? 0
  const term = chosenTerm ?? terms[0]?.id ?? 0
  const subjects = useSubjects(calls, school, term, version)

  const onSubjects = useCallback(() => {
    setVersion((before) => before + 1)
    onRefreshed()
  }, [onRefreshed])
  const ofSubjects = useRefresh<RefreshedSubjects>({
    memory: 'class-tracker:refresh-subjects',
    calls,
    isResult: isRefreshedSubjects,
    onDone: onSubjects,
  })
  const ofSections = useRefresh<RefreshedSections>({
    memory: 'class-tracker:refresh-sections',
    calls,
    isResult: isRefreshedSections,
    onDone: onRefreshed,
  })

  function run(what: 'subjects' | 'sections'): void {
    setAsking(null)
    if (what === 'subjects') ofSubjects.start(() => calls.refreshSubjects(school, term))
    else ofSections.start(() => calls.fetchSections(school, term, subject.id))
  }
  function ask(what: 'subjects' | 'sections'): void {
    if (school !== allSchools.id) return run(what)
    prepareToAsk()
    setAsking(what)
  }

  const isReady = term !== 0 && schools.length > 0
  return (
    <section className="card">
      <div className="card-body stack">
        <h2>Subjects and course sections</h2>
        <div className="field-group">
          <Field id="refresh-school" label="School">
            <select
              id="refresh-school"
              className="input"
              value={school}
              onChange={(event) => {
                setSchool(Number(event.target.value))
                setSubject(allSubjects)
              }}
            >
              {[allSchools, ...schools].map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
          <Field id="refresh-term" label="Term" help={isReady ? '' : 'No terms yet: refresh terms and schools first.'}>
            <select
              id="refresh-term"
              className="input"
              value={term}
              disabled={terms.length === 0}
              onChange={(event) => {
                setTerm(Number(event.target.value))
                setSubject(allSubjects)
              }}
            >
              {terms.map(({ id, full_term_name: name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        </div>
      </div>
      <div className="card-body card-line stack">
        <div>
          <h3>Subjects</h3>
          <p className="muted small">Which subjects the school offers in the term.</p>
        </div>
        <div>
          <Button
            icon="refresh"
            busy={ofSubjects.refresh.state === 'running'}
            disabled={!isReady}
            onClick={() => ask('subjects')}
          >
            Refresh subjects
          </Button>
        </div>
        <RefreshOutcome
          refresh={ofSubjects.refresh}
          errorHeading="Error refreshing subjects:"
          successText={() => 'Success! Subjects refreshed successfully.'}
        >
          {(result) => <FoundSubjects result={result} />}
        </RefreshOutcome>
      </div>
      <div className="card-body card-line stack">
        <div>
          <h3>Course sections</h3>
          <p className="muted small">Every section of a subject, with its seats.</p>
        </div>
        <ErrorSummary heading="Error loading subjects:" errors={subjects.errors.map((message) => ({ message }))} />
        <Combobox
          id="refresh-subject"
          label="Subject"
          options={[allSubjects, ...subjects.items]}
          loading={subjects.isLoading}
          value={subject}
          keyOf={idOf}
          textOf={nameOf}
          disabled={!isReady}
          onChoose={(chosen) => setSubject(chosen ?? allSubjects)}
        />
        <div>
          <Button
            icon="refresh"
            busy={ofSections.refresh.state === 'running'}
            disabled={!isReady}
            onClick={() => ask('sections')}
          >
            Fetch new course sections
          </Button>
        </div>
        <RefreshOutcome
          refresh={ofSections.refresh}
          errorHeading="Error fetching new courses:"
          successText={({ courses_count: count }) => `Success! Found ${count} courses.`}
        >
          {(result) => <FoundCourses result={result} />}
        </RefreshOutcome>
      </div>
      {asking &&
        (ConfirmDialog ? (
          <ConfirmDialog
            title="Refresh data for all schools?"
            confirmLabel="Refresh all schools"
            onConfirm={async () => run(asking)}
            onClose={() => setAsking(null)}
          >
            Every school's system is asked, one after the other. This can take many minutes; you may leave the page
            meanwhile.
          </ConfirmDialog>
        ) : (
          failure
        ))}
    </section>
  )
}
