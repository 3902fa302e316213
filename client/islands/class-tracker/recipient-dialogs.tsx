import type { School, Term } from '../../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { counted } from '../../components/count-text.ts'
import { AddSectionDialog } from './add-section-dialog.tsx'
import { RecipientDialog } from './recipient-dialog.tsx'
import { SectionDetails } from './section-details.tsx'
import { sectionCode, sectionTitle } from './section-text.ts'
import type { RecipientActs } from './use-recipients.ts'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { useAct } from '../../components/use-act.ts'
import { calls } from './calls.ts'

/** The link to a recipient's own page, for staff to pass on. */
function InviteDialog({ recipient, onClose }: { recipient: Recipient; onClose: () => void }) {
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

export type OpenDialog =
  | { dialog: 'recipient'; recipient: Recipient | null }
  | { dialog: 'invite' | 'watch' | 'remove-recipient'; recipient: Recipient }
  | { dialog: 'details' | 'remove-section'; recipient: Recipient; section: WatchedSection }

interface RecipientDialogsProps {
  open: OpenDialog
  schools: readonly School[]
  terms: readonly Term[]
  acts: RecipientActs
  context: PageContext
  onClose: () => void
}

function lossText({ watched_count: sections, phone_numbers: contacts }: Recipient): string {
  if (sections + contacts.length === 0) return 'This cannot be undone.'
  return `Also deletes ${counted(sections, 'watched section')} and ${counted(contacts.length, 'contact')}. This cannot be undone.`
}

/** The dialogs of Add Classes, loaded when the first of them is needed. */
export function RecipientDialogs({ open, schools, terms, acts, context, onClose }: RecipientDialogsProps) {
  switch (open.dialog) {
    case 'recipient':
      return (
        <RecipientDialog
          recipient={open.recipient}
          onSaved={(saved) => {
            acts.saved(saved, open.recipient === null)
            onClose()
          }}
          onContactRemoved={acts.contactRemoved}
          onClose={onClose}
        />
      )
    case 'invite':
      return <InviteDialog recipient={open.recipient} onClose={onClose} />
    case 'watch':
      return (
        <AddSectionDialog
          recipient={open.recipient}
          schools={schools}
          terms={terms}
          onAdded={(answer) => {
            acts.sectionAdded(open.recipient, answer)
            onClose()
          }}
          onClose={onClose}
        />
      )
    case 'details':
      return <SectionDetails section={open.section} timeZone={context.time_zone} onClose={onClose} />
    case 'remove-section':
      return (
        <ConfirmDialog
          title={`Stop watching ${sectionCode(open.section)} ${sectionTitle(open.section)}?`}
          confirmLabel="Stop watching"
          danger
          onConfirm={async () => {
            await acts.removeSection(open.recipient, open.section)
            onClose()
          }}
          onClose={onClose}
        >
          {open.recipient.name} won’t be notified about it. Messages not sent yet will be canceled.
        </ConfirmDialog>
      )
    case 'remove-recipient':
      return (
        <ConfirmDialog
          title={`Remove ${open.recipient.name}?`}
          confirmLabel="Remove recipient"
          danger
          onConfirm={async () => {
            await acts.removeRecipient(open.recipient)
            onClose()
          }}
          onClose={onClose}
        >
          {lossText(open.recipient)}
        </ConfirmDialog>
      )
  }
}
