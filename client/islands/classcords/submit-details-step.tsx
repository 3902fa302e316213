import type { PrivacyLevel, School, Subject, ValidateDiscordInvite } from '../../../src/classcords/contract.ts'
import { Combobox, nameOf } from '../../components/combobox.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { MultiCombobox } from '../../components/multi-combobox.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { TryAgain, useLevel } from '../../use-level.tsx'
import { calls } from './calls.ts'
import { courseTitle } from './server-text.ts'
import type { Draft } from './submission.ts'

interface SubmitDetailsStepProps {
  looked: ValidateDiscordInvite
  draft: Draft
  isTried: boolean
  onChange: (change: Partial<Draft>) => void
}

const privacyChoices: { value: PrivacyLevel; label: string; help: string }[] = [
  { value: 'public', label: 'Public', help: 'Everyone sees it.' },
  { value: 'private', label: 'Private', help: 'Only students of the school who are logged in see it.' },
]

function useLists(school: School | null, subject: Subject | null) {
  const schoolId = school?.id ?? 0
  const subjectId = subject?.id ?? 0
  const inSubject = school && subject ? `${schoolId} ${subjectId}` : null
  return {
    subjects: useLevel(
      school ? `${schoolId}` : null,
      async (signal) => (await calls.getSchoolSubjects(schoolId, signal)).subjects,
    ),
    courses: useLevel(inSubject, async (signal) => (await calls.getSchoolCourses(schoolId, subjectId, signal)).courses),
    instructors: useLevel(
      inSubject,
      async (signal) => (await calls.getInstructors(schoolId, subjectId, signal)).instructors,
    ),
  }
}

export function SubmitDetailsStep({ looked, draft, isTried, onChange }: SubmitDetailsStepProps) {
  const { school, subject } = draft
  const { subjects, courses, instructors } = useLists(school, subject)
  const problems = [...subjects.errors, ...courses.errors, ...instructors.errors]
  const afterSubject = (text: string) => (subject === null ? 'Choose a subject first' : text)
  return (
    <>
      <div className="server-head">
        <ServerIcon name={looked.guild_info.name} url={looked.guild_info.icon_url} />
        <div>
          <h3>
            <bdi>{looked.guild_info.name}</bdi>
          </h3>
          <p className="muted small">{looked.is_new_server && 'New in the directory. '}Which classes is it for?</p>
        </div>
      </div>
      <ErrorSummary errors={problems} />
      <TryAgain levels={[subjects, courses, instructors]} />
      <Combobox
        id="submit-school"
        label="School (required)"
        options={looked.available_schools}
        value={school}
        textOf={nameOf}
        placeholder="Type to find a school"
        emptyText="Select your school on your profile first."
        error={isTried && school === null ? 'Choose the school.' : ''}
        autoFocus={school === null}
        onChoose={(to) => onChange({ school: to })}
      />
      <Combobox
        id="submit-subject"
        label="Subject"
        options={subjects.items ?? []}
        value={subject}
        textOf={nameOf}
        disabled={school === null}
        loading={subjects.items === null}
        placeholder={school === null ? 'Choose a school first' : 'Type to find a subject'}
        emptyText="This school has no subjects yet."
        autoFocus={school !== null}
        onChoose={(to) => onChange({ subject: to })}
      />
      <MultiCombobox
        id="submit-courses"
        label="Courses"
        options={courses.items ?? []}
        chosen={draft.courses}
        textOf={courseTitle}
        disabled={subject === null}
        loading={courses.items === null}
        placeholder={afterSubject('Type to find courses')}
        emptyText="No more courses in this subject."
        onChosen={(to) => onChange({ courses: to })}
      />
      <MultiCombobox
        id="submit-instructors"
        label="Instructors"
        options={instructors.items ?? []}
        chosen={draft.instructors}
        textOf={nameOf}
        disabled={subject === null}
        loading={instructors.items === null}
        placeholder={afterSubject('Type to find instructors')}
        emptyText="No more instructors in this subject."
        onChosen={(to) => onChange({ instructors: to })}
      />
      <PrivacyChoice value={draft.privacy} onChoose={(to) => onChange({ privacy: to })} />
    </>
  )
}

function PrivacyChoice({ value, onChoose }: { value: PrivacyLevel; onChoose: (value: PrivacyLevel) => void }) {
  return (
    <fieldset className="field">
      <legend className="label">Who can see it</legend>
      {privacyChoices.map(({ value: choice, label, help }) => (
        <div key={choice} className="check">
          <input
            id={`privacy-${choice}`}
            type="radio"
            name="privacy_level"
            checked={value === choice}
            onChange={() => onChoose(choice)}
          />
          <label htmlFor={`privacy-${choice}`}>
            {label} <span className="muted small">{help}</span>
          </label>
        </div>
      ))}
    </fieldset>
  )
}
