import { useState } from 'react'
import type { School, Subject, Term } from '../../../src/class-tracker/courses/contract.ts'
import type { RefreshedSections, RefreshedSubjects } from '../../../src/class-tracker/refresh/contract.ts'
import { Combobox, nameOf } from '../../components/combobox.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { useLevel } from '../../use-level.tsx'
import { calls } from '#in-browser/islands/class-tracker/calls.ts'
import { FoundCourses, FoundSubjects } from '#in-browser/islands/class-tracker/found-lists.tsx'
import { RefreshButton, RefreshOutcome } from './refresh-step.tsx'
import { useAllSchools } from './use-all-schools.tsx'
import { isRefreshedSections, isRefreshedSubjects, useRefresh } from './use-refresh.ts'

interface RefreshCoursesProps {
  schools: readonly School[]
  terms: readonly Term[]
  onStart: () => void
  onRefreshed: () => void
  /** Whether the queue of refreshes is paused. */
  isPaused: boolean
}

/** In the calls, 0 means every school, and every subject. */
const allSchools: School = { id: 0, name: 'All Schools' }
const allSubjects: Subject = { id: 0, name: 'All Subjects' }

interface ChoiceProps {
  id: string
  label: string
  help?: string
  value: number
  options: readonly { id: number; name: string }[]
  onChoose: (id: number) => void
}

function Choice({ id, label, help = '', value, options, onChoose }: ChoiceProps) {
  return (
    <Field id={id} label={label} help={help}>
      <select
        id={id}
        className="input"
        value={value}
        disabled={options.length === 0}
        onChange={(event) => onChoose(Number(event.target.value))}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.name}
          </option>
        ))}
      </select>
    </Field>
  )
}

interface SubjectChoiceProps {
  school: number
  /** 0: there is none. */
  term: number
  /** Another number loads the subjects again. */
  version: number
  value: Subject
  onChoose: (subject: Subject) => void
}

function SubjectChoice({ school, term, version, value, onChoose }: SubjectChoiceProps) {
  const { items, errors } = useLevel(
    term === 0 ? null : `${school} ${term} ${version}`,
    async (signal) => (await calls.getSubjects(school, term, signal)).subjects,
  )
  return (
    <div>
      <ErrorSummary heading="Error loading subjects:" errors={errors} />
      <Combobox
        id="refresh-subject"
        label="Subject"
        options={[allSubjects, ...(items ?? [])]}
        loading={items === null}
        value={value}
        textOf={nameOf}
        disabled={term === 0}
        onChoose={(chosen) => onChoose(chosen ?? allSubjects)}
      />
    </div>
  )
}

export function RefreshCourses({ schools, terms, onStart, onRefreshed, isPaused }: RefreshCoursesProps) {
  const [chosenSchool, setSchool] = useState<number | null>(null)
  const [chosenTerm, setTerm] = useState<number | null>(null)
  const [subject, setSubject] = useState<Subject>(allSubjects)
  const [version, setVersion] = useState(0)
  const { ask, question } = useAllSchools()

  const school = chosenSchool ?? schools[0]?.id ?? 0
  const term = chosenTerm ?? terms[0]?.id ?? 0

  const ofSubjects = useRefresh<RefreshedSubjects>({
    memory: 'class-tracker:refresh-subjects',
    isResult: isRefreshedSubjects,
    onStart,
    onDone() {
      setVersion((before) => before + 1)
      onRefreshed()
    },
  })
  const ofSections = useRefresh<RefreshedSections>({
    memory: 'class-tracker:refresh-sections',
    isResult: isRefreshedSections,
    onStart,
    onDone: onRefreshed,
  })

  /** A refresh of all schools needs a confirmation first. */
  const start = (run: () => void) => (school === allSchools.id ? ask(run) : run())

  function choose(change: () => void): void {
    change()
    setSubject(allSubjects)
    ofSubjects.reset()
    ofSections.reset()
  }

  const isReady = term !== 0 && schools.length > 0
  return (
    <section id="refresh" className="stack stack-small only-script" aria-labelledby="refresh-courses">
      <h2 id="refresh-courses">Subjects and course sections</h2>
      <div className="refresh-form">
        <Choice
          id="refresh-school"
          label="School"
          value={school}
          options={[allSchools, ...schools]}
          onChoose={(id) => choose(() => setSchool(id))}
        />
        <Choice
          id="refresh-term"
          label="Term"
          help={isReady ? '' : 'No terms yet: refresh terms and schools first.'}
          value={term}
          options={terms.map(({ id, full_term_name: name }) => ({ id, name }))}
          onChoose={(id) => choose(() => setTerm(id))}
        />
        <SubjectChoice
          school={school}
          term={isReady ? term : 0}
          version={version}
          value={subject}
          onChoose={(chosen) => {
            setSubject(chosen)
            ofSections.reset()
          }}
        />
        <RefreshButton
          refresh={ofSubjects.refresh}
          isReady={isReady}
          onStart={() => start(() => ofSubjects.start(() => calls.refreshSubjects(school, term)))}
        >
          Refresh subjects
        </RefreshButton>
        <RefreshButton
          refresh={ofSections.refresh}
          isReady={isReady}
          onStart={() => start(() => ofSections.start(() => calls.fetchSections(school, term, subject.id)))}
        >
          Fetch new course sections
        </RefreshButton>
      </div>
      <p className="muted tiny">
        Subjects: what the school offers in the term. Course sections: every class with its seats.
      </p>
      <RefreshOutcome
        refresh={ofSubjects.refresh}
        isPaused={isPaused}
        errorHeading="Error refreshing subjects:"
        successText={() => 'Success! Subjects refreshed successfully.'}
        found={(result) => <FoundSubjects result={result} />}
      />
      <RefreshOutcome
        refresh={ofSections.refresh}
        isPaused={isPaused}
        errorHeading="Error fetching new courses:"
        successText={({ courses_count: count }) => `Success! Found ${count} courses.`}
        found={(result) => <FoundCourses result={result} />}
      />
      {question}
    </section>
  )
}
