import type { DiscordServer } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { ServerDialog } from './server-dialog.tsx'
import { type Draft, newDraft } from './submission.ts'
import { SubmitDialog } from './submit-dialog.tsx'

export type OpenDialog = { dialog: 'server'; server: DiscordServer } | { dialog: 'submit'; draft?: Draft }

interface DirectoryDialogsProps {
  open: OpenDialog
  context: PageContext
  onClose: () => void
}

export function DirectoryDialogs({ open, context, onClose }: DirectoryDialogsProps) {
  if (open.dialog === 'server') {
    return <ServerDialog key={open.server.id} server={open.server} context={context} onClose={onClose} />
  }
  const person = context.user.discord_user
  return (
    <SubmitDialog
      initial={open.draft ?? newDraft()}
      owner={person?.discord_id ?? ''}
      ownSchool={person?.school ?? null}
      onClose={onClose}
    />
  )
}
