import { useState } from 'react'
import type { School, Term } from '../../../src/class-tracker/courses/contract.ts'
import type { AddWatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { useAct } from '../../components/use-act.ts'
import { TryAgain, useLevel } from '../../use-level.tsx'
import { calls } from './calls.ts'
import { unreachableText } from './recipients.ts'
import { SectionChoice } from './section-choice.tsx'
import { useCascade } from './use-cascade.ts'

interface AddSectionDialogProps {
  recipient: Recipient
  schools: readonly School[]
  terms: readonly Term[]
  onAdded: (answer: AddWatchedSection) => void
  onClose: () => void
}

const levels = ['school', 'term', 'subject', 'section'] as const

export function AddSectionDialog({ recipient, schools, terms, onAdded, onClose }: AddSectionDialogProps) {
  // Some may have been added since the page was rendered. If loading them fails, the page's own will do.
  const newest = useLevel('schools', async (signal) => (await calls.getSchools(signal)).schools).items
  const knownSchools = newest?.length ? newest : schools
  // The page carries only the first sections of a long list.
  const isCut = recipient.watched_count > recipient.watched_sections.length
  const all = useLevel(
    isCut ? `${recipient.id}` : null,
    async (signal) => (await calls.getWatchedSections(recipient.id, signal)).watched_sections,
  ).items
  const cascade = useCascade(knownSchools, terms)
  const { choice, subjects, sections, keep } = cascade
  const [isMissing, setIsMissing] = useState(false)
  const { busy, errors, act } = useAct()
  const unreachable = unreachableText(recipient)
  const off = knownSchools.find(({ id, is_off: isOff }) => id === choice.school?.id && isOff)

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
        <MessageBox tone="warning" role="note">
          {unreachable} Add a contact to the recipient first, or watch anyway.
        </MessageBox>
      )}
      {off && (
        <MessageBox tone="warning" role="status">
          {off.name} is not checked: its source is off. No one is notified of seats there until it is turned on again.
        </MessageBox>
      )}
      <ErrorSummary errors={problems} />
      <TryAgain levels={[subjects, sections]} />
      <SectionChoice
        cascade={cascade}
        schools={knownSchools}
        terms={terms}
        watched={[...recipient.watched_sections, ...(all ?? [])]}
        isMissing={isMissing}
      />
    </Dialog>
  )
}
