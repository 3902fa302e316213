import { useEffect, useState } from 'react'
import type { School } from '../../../src/classcords/contract.ts'
import { Button } from '../../components/button.tsx'
import { DiscardDialog } from '../../components/discard-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { SubmitDetailsStep } from './submit-details-step.tsx'
import { SubmitLinkStep } from './submit-link-step.tsx'
import { linkError, notesState, type Draft } from './submission.ts'
import { useSubmission, type Step } from './use-submission.ts'

interface SubmitDialogProps {
  initial: Draft
  /** The Discord id of the submitter. */
  owner: string
  ownSchool: School | null
  onClose: () => void
}

const stepWords: Record<Step, string> = {
  link: 'Step 1 of 2: the invite',
  details: 'Step 2 of 2: the classes',
  done: 'Done',
}

/** Adds an invite in two steps; a server that is already listed needs only the first. */
export function SubmitDialog({ initial, owner, ownSchool, onClose }: SubmitDialogProps) {
  const submission = useSubmission({ draft: initial, owner, ownSchool })
  const { step, draft, looked, busy, errors, isLinkRefused, change } = submission
  const [isTried, setTried] = useState(false)
  const [isDiscarding, setDiscarding] = useState(false)
  const isEdit = initial.replaces !== undefined

  // Each step starts at its first empty field.
  useEffect(() => {
    document.querySelector<HTMLElement>('#submit-invite [data-autofocus]')?.focus()
  }, [step])
  useEffect(() => {
    if (isLinkRefused) document.getElementById('invite-url')?.focus()
  }, [isLinkRefused, errors])

  function tryNext(): void {
    setTried(true)
    if (linkError(draft.inviteUrl) !== '') document.getElementById('invite-url')?.focus()
    else if (notesState(draft.notes).isTooLong) document.getElementById('invite-notes')?.focus()
    else {
      setTried(false)
      submission.next()
    }
  }
  function trySubmit(): void {
    setTried(true)
    if (draft.school === null) document.getElementById('submit-school')?.focus()
    else submission.submit()
  }

  function close(): void {
    if (busy) return
    if (isEdit && submission.isTyped && step !== 'done') setDiscarding(true)
    else onClose()
  }

  const isLink = step === 'link'
  return (
    <>
      <Dialog
        title={isEdit ? 'Edit Discord Invite' : 'Add Discord Invite'}
        description={stepWords[step]}
        {...(!isEdit && { address: '#add' })}
        isKept={!isEdit}
        onClose={close}
        footer={
          step !== 'done' && (
            <>
              <Button onClick={isLink ? close : submission.back} disabled={busy}>
                {isLink ? 'Cancel' : 'Back'}
              </Button>
              <Button
                kind="primary"
                type="submit"
                form="submit-invite"
                busy={busy}
                disabled={isLink && draft.inviteUrl.trim() === ''}
              >
                {isLink ? 'Next' : 'Submit Invite'}
              </Button>
            </>
          )
        }
      >
        <form
          id="submit-invite"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (busy) return
            if (isLink && draft.inviteUrl.trim() !== '') tryNext()
            if (step === 'details') trySubmit()
          }}
        >
          {submission.isResumed && step !== 'done' && (
            <p className="row small">
              <span className="muted">This is what you typed earlier.</span>
              <Button kind="quiet" onClick={submission.startOver} disabled={busy}>
                Start over
              </Button>
            </p>
          )}
          <ErrorSummary
            id="invite-refused"
            errors={errors.map((message) => ({ message, ...(isLinkRefused && { fieldId: 'invite-url' }) }))}
            focus={!isLinkRefused}
          />
          {isLink && <SubmitLinkStep draft={draft} isTried={isTried} isRefused={isLinkRefused} onChange={change} />}
          {step === 'details' && looked && (
            <SubmitDetailsStep looked={looked} draft={draft} isTried={isTried} onChange={change} />
          )}
          <div role="status">
            {step === 'done' && <MessageBox tone="success">Discord server successfully added!</MessageBox>}
          </div>
        </form>
      </Dialog>
      {isDiscarding && <DiscardDialog onDiscard={onClose} onClose={() => setDiscarding(false)} />}
    </>
  )
}
