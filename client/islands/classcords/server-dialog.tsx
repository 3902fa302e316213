import { useState } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TryAgain, useLevel } from '../../use-level.tsx'
import { calls } from './calls.ts'
import { InviteList } from './invite-list.tsx'
import { ReportForm } from './report-form.tsx'
import { ServerAbout, ServerBanner, ShareServer } from './server-about.tsx'
import { directoryLogInHref, serverHref } from './server-text.ts'
import { FetchedUsesChart } from './uses-chart.tsx'

interface ServerDialogProps {
  server: DiscordServer
  context: PageContext
  onClose: () => void
}

/** A button for the missing step to a private server's invites: logging in, connecting Discord, selecting a school. */
function MissingStep({ server, context }: Pick<ServerDialogProps, 'server' | 'context'>) {
  const { is_authenticated, discord_user } = context.user
  if (!is_authenticated) return <LinkButton href={directoryLogInHref(null, context.path)}>Log In</LinkButton>
  if (server.privacy_level_info.value !== 'private') return null
  if (!discord_user) return <LinkButton href="/accounts/3rdparty/">Connect Discord</LinkButton>
  return discord_user.school ? null : <LinkButton href="/classcords/profile/">Select your school</LinkButton>
}

export function ServerDialog({ server, context, onClose }: ServerDialogProps) {
  const [presence, setPresence] = useState(server.presence)
  const loaded = useLevel(`${server.id}`, async (signal) => {
    const answer = await calls.getInvites(server.id, signal)
    setPresence(answer.presence)
    return answer.invites
  })
  const { items: invites, errors } = loaded
  const { user } = context

  return (
    <Dialog
      title={server.display_name}
      size="large"
      address={serverHref(server)}
      banner={<ServerBanner server={server} />}
      onClose={onClose}
    >
      <ServerAbout server={server} presence={presence} timeZone={context.time_zone} />
      <h3 className="hidden-visually">Invites</h3>
      {invites === null && <Skeleton label="Loading the invites…" lines={2} />}
      <ErrorSummary errors={errors} />
      {errors.length > 0 && (
        <div className="row">
          <TryAgain levels={[loaded]} />
          <MissingStep server={server} context={context} />
        </div>
      )}
      {invites !== null && errors.length === 0 && <InviteList invites={invites} timeZone={context.time_zone} />}
      {user.discord_user?.role_info.value === 'manager' && <FetchedUsesChart serverId={server.id} />}
      <div className="server-actions">
        <ShareServer server={server} />
        {user.discord_user && <ReportForm server={server} context={context} />}
      </div>
    </Dialog>
  )
}
