import { useState } from 'react'
import { MAX_NOTES_LENGTH } from '../../../src/classcords/invites/contract.ts'
import { describedBy, Field } from '../../components/field.tsx'
import { linkError, notesState, type Draft } from './submission.ts'

interface SubmitLinkStepProps {
  draft: Draft
  /** Whether Next was pressed; then every error is shown. */
  isTried: boolean
  /** Whether the server refused the link; the element with the id `invite-refused` says why. */
  isRefused: boolean
  onChange: (change: Partial<Draft>) => void
}

export function SubmitLinkStep({ draft, isTried, isRefused, onChange }: SubmitLinkStepProps) {
  const [isLeft, setLeft] = useState(false)
  const wrongLink = isLeft || isTried ? linkError(draft.inviteUrl) : ''
  const { text, isWarning, isTooLong } = notesState(draft.notes)
  const wrongNotes = isTooLong ? `The notes are longer than ${MAX_NOTES_LENGTH} characters.` : ''
  const linkHelp = 'A permanent invite to the server, such as https://discord.gg/abc123.'
  const notesHelp = 'Optional. Markdown works: **bold**, [links](https://…), lists and code.'
  return (
    <>
      <Field id="invite-url" label="Discord invite URL" help={linkHelp} error={wrongLink}>
        <input
          id="invite-url"
          className="input"
          type="url"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={200}
          data-autofocus
          value={draft.inviteUrl}
          aria-invalid={wrongLink !== '' || isRefused || undefined}
          aria-describedby={`${describedBy('invite-url', linkHelp, wrongLink)}${isRefused ? ' invite-refused' : ''}`}
          onBlur={() => setLeft(true)}
          onChange={(event) => onChange({ inviteUrl: event.target.value })}
        />
      </Field>
      <Field id="invite-notes" label="Notes" help={notesHelp} error={wrongNotes}>
        <textarea
          id="invite-notes"
          className="input"
          value={draft.notes}
          aria-invalid={isTooLong || undefined}
          aria-describedby={`${describedBy('invite-notes', notesHelp, wrongNotes)} invite-notes-count`}
          onChange={(event) => onChange({ notes: event.target.value })}
        />
        <p id="invite-notes-count" className={`counter tiny muted numbers ${isWarning ? 'counter-warning' : ''}`}>
          {text}
          <span className="hidden-visually"> characters</span>
        </p>
        <p className="hidden-visually" role="status">
          {isWarning && !isTooLong && 'The notes are almost full.'}
        </p>
      </Field>
    </>
  )
}
