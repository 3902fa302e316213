import type { School, Term } from '../../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { counted } from '../../components/count-text.ts'
import { AddSectionDialog } from './add-section-dialog.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RecipientDialog } from './recipient-dialog.tsx'
import { SectionDetails } from './section-details.tsx'
import { sectionName } from './section-text.ts'
import type { RecipientActs } from './use-recipients.ts'

/** Which dialog is open, and about what. */
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

/** A description of what is deleted along with a recipient. */
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
          title={`Stop watching ${sectionName(open.section)}?`}
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
