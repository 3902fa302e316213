import { useEffect, useState } from 'react'
import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { useAct } from '../../components/use-act.ts'
import { calls } from './calls.ts'

interface InviteDialogProps {
  recipient: Recipient
  onClose: () => void
}

/** The link to a recipient's own page, for staff to pass on. */
export function InviteDialog({ recipient, onClose }: InviteDialogProps) {
  const [url, setUrl] = useState('')
  const { busy, errors, act } = useAct()
  const { id, name } = recipient
  useEffect(() => act(async () => setUrl((await calls.getRecipientLink(id)).url)), [act, id])

  return (
    <Dialog title={`Invite ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      <div className="stack">
        <ErrorSummary errors={errors} />
        <p>
          On their own page, {name} can turn on push notifications, see what is watched and set quiet hours. Anyone with
          the link can do that, so send it only to {name}.
        </p>
        <Field
          id="invitation"
          label="Invitation"
          help="A new link replaces every earlier one, including those in emails."
        >
          <input
            className="input"
            id="invitation"
            type="url"
            readOnly
            value={url}
            aria-describedby="invitation-help"
            onFocus={({ target }) => target.select()}
          />
        </Field>
        <div className="row">
          {url !== '' && <CopyButton text={url} subject="the invitation" />}
          <Button
            kind="quiet"
            icon="refresh"
            busy={busy}
            onClick={() => act(async () => setUrl((await calls.refreshRecipientLink(id)).url))}
          >
            New link
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
