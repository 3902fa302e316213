import { useEffect, useRef, useState } from 'react'
import type { School, Subject, Term } from '../../../src/class-tracker/courses/contract.ts'
import type { AddWatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { useAct } from '../../components/use-act.ts'
import type { ClassTrackerCalls } from './calls.ts'
import type { Choice } from './choice.ts'
import { unreachableText } from './recipients.ts'
import { SectionOption, sectionSearch, sectionText } from './section-option.tsx'
import { useCascade } from './use-cascade.ts'

interface AddSectionDialogProps {
  recipient: Recipient
  schools: readonly School[]
  terms: readonly Term[]
  calls: ClassTrackerCalls
  onAdded: (answer: AddWatchedSection) => void
  onClose: () => void
}

const levels = ['school', 'term', 'subject', 'section'] as const
const idOf = ({ id }: { id: number }): number => id
const nameOf = ({ name }: School | Subject): string => name
const termName = ({ full_term_name: name }: Term): string => name

/** The schools there are now: some may have come since the page was made. Should the call fail, the page's own list is good enough. */
function useNewestSchools(calls: ClassTrackerCalls, schools: readonly School[]): readonly School[] {
  const [newest, setNewest] = useState(schools)
  useEffect(() => {
    const leaving = new AbortController()
    calls.getSchools(leaving.signal).then(
      (answer) => setNewest(answer.schools),
      () => undefined,
    )
    return () => leaving.abort()
  }, [calls])
  return newest
}

/** Moves the focus to the next field after a choice. @returns what names that field, called while the choice is made */
function useNextField(choice: Choice): (id: string) => void {
  const nextField = useRef<string | null>(null)
  useEffect(() => {
    // A subject that is remembered while the reader waits for it is a choice, too.
    const isSubjectRemembered = choice.subject !== null && document.activeElement?.id === 'watch-subject'
    const next = nextField.current ?? (isSubjectRemembered ? 'watch-section' : null)
    nextField.current = null
    if (next !== null) document.getElementById(next)?.focus()
  }, [choice])
  return (id) => {
    nextField.current = id
  }
}

/** Chooses a section, level by level, and watches it for the recipient. */
export function AddSectionDialog({ recipient, schools, terms, calls, onAdded, onClose }: AddSectionDialogProps) {
  const knownSchools = useNewestSchools(calls, schools)
  const { choice, change, subjects, sections, keep, tryAgain } = useCascade(calls, knownSchools, terms)
  const [isMissing, setIsMissing] = useState(false)
  const { busy, errors, act } = useAct()
  const goToAfter = useNextField(choice)
  const unreachable = unreachableText(recipient)

  function add(): void {
    const { section } = choice
    setIsMissing(section === null)
    if (section === null) {
      const missing = levels.find((level) => choice[level] === null) ?? 'section'
      document.getElementById(`watch-${missing}`)?.focus()
      return
    }
    act(async () => {
      const answer = await calls.addWatchedSection(recipient.id, section.id)
      keep()
      onAdded(answer)
    })
  }

  const problems = [...errors, ...subjects.errors, ...sections.errors]
  return (
    <Dialog
      title="Watch a section"
      description={`${recipient.name} will be notified when a seat opens.`}
      size="large"
      onClose={busy ? () => undefined : onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={add}>
            Add section
          </Button>
        </>
      }
    >
      {unreachable && (
        <p className="message message-warning" role="note">
          <span className="message-text">{unreachable} Add a contact to the recipient first, or watch anyway.</span>
        </p>
      )}
      <ErrorSummary heading="Error:" errors={problems.map((message) => ({ message }))} />
      {subjects.errors.length + sections.errors.length > 0 && (
        <div>
          <Button icon="refresh" onClick={tryAgain}>
            Try again
          </Button>
        </div>
      )}
      <Combobox
        id="watch-school"
        label="School"
        options={knownSchools}
        value={choice.school}
        keyOf={idOf}
        textOf={nameOf}
        placeholder="Type to find a school"
        emptyText="No schools yet. Refresh terms and schools first."
        autoFocus={choice.school === null}
        onChoose={(to) => {
          if (to) goToAfter('watch-term')
          change({ level: 'school', to })
        }}
      />
      <Combobox
        id="watch-term"
        label="Term"
        options={terms}
        value={choice.term}
        keyOf={idOf}
        textOf={termName}
        disabled={choice.school === null}
        placeholder={choice.school ? 'Type to find a term' : 'Choose a school first'}
        emptyText="No terms yet. Refresh terms and schools first."
        onChoose={(to) => {
          if (to) goToAfter('watch-subject')
          change({ level: 'term', to })
        }}
      />
      <Combobox
        id="watch-subject"
        label="Subject"
        options={subjects.items ?? []}
        loading={subjects.items === null}
        value={choice.subject}
        keyOf={idOf}
        textOf={nameOf}
        disabled={choice.term === null}
        placeholder={choice.term ? 'Type to find a subject' : 'Choose a term first'}
        emptyText={
          subjects.errors.length > 0
            ? 'The subjects could not be loaded.'
            : 'This school has no subjects in this term yet. Refresh its subjects first.'
        }
        autoFocus={choice.term !== null}
        onChoose={(to) => {
          if (to) goToAfter('watch-section')
          change({ level: 'subject', to })
        }}
      />
      <Combobox
        id="watch-section"
        label="Section"
        options={sections.items ?? []}
        loading={sections.items === null}
        value={choice.section}
        keyOf={idOf}
        textOf={sectionText}
        searchOf={sectionSearch}
        rowOf={(section) => (
          <SectionOption section={section} isWatched={recipient.watched_sections.some(({ id }) => id === section.id)} />
        )}
        alwaysOpen
        disabled={choice.subject === null}
        placeholder={choice.subject ? 'Type a course, number or instructor' : 'Choose a subject first'}
        emptyText={
          sections.errors.length > 0
            ? 'The sections could not be loaded.'
            : 'This subject has no sections yet. Fetch its course sections first.'
        }
        error={isMissing && choice.section === null ? 'Choose the section to watch.' : ''}
        onChoose={(to) => change({ level: 'section', to })}
      />
    </Dialog>
  )
}
