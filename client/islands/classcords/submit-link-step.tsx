import { useState } from 'react'
import { describedBy, Field } from '../../components/field.tsx'
import { linkError, notesState, type Draft, type DraftChange } from './submission.ts'

interface SubmitLinkStepProps {
  draft: Draft
  /** Whether Next was pressed; then every error is shown. */
  isTried: boolean
  onChange: (change: DraftChange) => void
}

/** Step one: the link and its notes. */
export function SubmitLinkStep({ draft, isTried, onChange }: SubmitLinkStepProps) {
  const [isLeft, setLeft] = useState(false)
  const wrongLink = isLeft || isTried ? linkError(draft.inviteUrl) : ''
  const { text, isWarning, isTooLong } = notesState(draft.notes)
  const wrongNotes = isTooLong ? 'The notes are longer than 255 characters.' : ''
  const linkHelp = 'A permanent invite of the server, such as https://discord.gg/abc123.'
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
          aria-invalid={wrongLink !== '' || undefined}
          aria-describedby={describedBy('invite-url', linkHelp, wrongLink)}
          onBlur={() => setLeft(true)}
          onChange={(event) => onChange({ field: 'inviteUrl', to: event.target.value })}
        />
      </Field>
      <Field id="invite-notes" label="Notes" help={notesHelp} error={wrongNotes}>
        <textarea
          id="invite-notes"
          className="input"
          value={draft.notes}
          aria-invalid={isTooLong || undefined}
          aria-describedby={`${describedBy('invite-notes', notesHelp, wrongNotes)} invite-notes-count`}
          onChange={(event) => onChange({ field: 'notes', to: event.target.value })}
        />
        <p id="invite-notes-count" className={isWarning ? 'counter counter-warning' : 'counter'}>
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
