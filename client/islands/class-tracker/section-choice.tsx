import { useEffect, useRef } from 'react'
import type { School, Term, CourseSection } from '../../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { Combobox, nameOf } from '../../components/combobox.tsx'
import type { Cascade, Choice } from './use-cascade.ts'
import { Badge } from '../../components/badge.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { StatusBadge } from '../../components/status-dot.tsx'
import {
  instructionText,
  numberText,
  seatsLeft,
  seatsText,
  sectionCode,
  sectionName,
  sectionNumbers,
  sectionTitle,
  waitlistText,
} from './section-text.ts'

const sectionText = (section: CourseSection): string =>
  [sectionName(section), sectionNumbers(section)].filter(Boolean).join(' · ')

const sectionSearch = (section: CourseSection): string =>
  `${sectionText(section)} ${instructionText(section.instruction_list)}`

function SectionOption({ section, isWatched }: { section: CourseSection; isWatched: boolean }) {
  const details = [
    numberText(section),
    instructionText(section.instruction_list),
    ...(section.details ?? []).map(({ text }) => text),
  ].filter((part) => part !== '')
  return (
    <span className="section-option">
      <StatusBadge status={section.status} />
      <span>
        <span className="strong">
          {sectionCode(section)} {sectionTitle(section)}
        </span>
        <span className="muted">{details.join(' · ')}</span>
        {isWatched && <Badge>Already watched</Badge>}
      </span>
      <span className="numbers section-option-seats">
        <SeatBar status={section.status} seats={seatsLeft(section)} capacity={section.capacity} />
        <span className={section.status === 'open' ? 'strong' : undefined}>{seatsText(section)}</span>
        <span className="muted tiny">{waitlistText(section)}</span>
      </span>
    </span>
  )
}

interface SectionChoiceProps {
  cascade: Cascade
  schools: readonly School[]
  terms: readonly Term[]
  /** Sections to mark as watched already. */
  watched: readonly WatchedSection[]
  /** Whether to say that a section must be selected, because the form was submitted without one. */
  isMissing: boolean
}

const termName = ({ full_term_name: name }: Term): string => name

/** Moves the focus to the next field after a choice. @returns a function to call with its id during the choice */
function useNextField(choice: Choice): (id: string) => void {
  const nextField = useRef<string | null>(null)
  useEffect(() => {
    // A subject that is remembered while the user waits for it is a choice, too.
    const isSubjectRemembered = choice.subject !== null && document.activeElement?.id === 'watch-subject'
    const next = nextField.current ?? (isSubjectRemembered ? 'watch-section' : null)
    nextField.current = null
    if (next !== null) document.getElementById(next)?.focus()
  }, [choice])
  return (id) => {
    nextField.current = id
  }
}

export function SectionChoice({ cascade, schools, terms, watched, isMissing }: SectionChoiceProps) {
  const { choice, change, subjects, sections } = cascade
  const goToAfter = useNextField(choice)
  return (
    <>
      <Combobox
        id="watch-school"
        label="School"
        options={schools}
        value={choice.school}
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
        textOf={sectionText}
        searchOf={sectionSearch}
        rowOf={(section) => <SectionOption section={section} isWatched={watched.some(({ id }) => id === section.id)} />}
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
    </>
  )
}
