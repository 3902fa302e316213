import { useCallback, useState } from 'react'
import type { DiscordServer, Invite } from '../../../src/classcords/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useLevel } from '../../use-level.ts'
import type { ClasscordsCalls } from './calls.ts'
import { InviteEntry } from './invite-entry.tsx'
import { ReportForm } from './report-form.tsx'
import { ServerBadges } from './server-card.tsx'
import { countText, courseTitle, logInHref } from './server-text.ts'
import { UsesChart } from './uses-chart.tsx'

interface ServerDialogProps {
  server: DiscordServer
  context: PageContext
  calls: ClasscordsCalls
  onClose: () => void
}

function listText(names: readonly string[]): string {
  return names.filter((name) => name !== '').join(', ')
}

function About({ server }: { server: DiscordServer }) {
  const lines = [
    { label: 'Courses', text: listText(server.courses.map(courseTitle)) },
    { label: 'Subjects', text: listText(server.subjects.map(({ name }) => name)) },
    { label: 'Instructors', text: listText(server.instructors.map(({ name }) => name)) },
    { label: 'Schools', text: listText(server.schools.map(({ name }) => name)) },
  ].filter(({ text }) => text !== '')
  return (
    <>
      <div className="server-head">
        <ServerIcon name={server.display_name} url={server.icon_url} />
        <div>
          <ServerBadges server={server} />
          <p className="muted small numbers">{countText(server.member_count, 'member')}</p>
        </div>
      </div>
      {server.description !== '' && (
        <p>
          <bdi>{server.description}</bdi>
        </p>
      )}
      {lines.length > 0 && (
        <dl className="facts small">
          {lines.map(({ label, text }) => (
            <div key={label}>
              <dt className="muted">{label}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** A server and its invites. */
export function ServerDialog({ server, context, calls, onClose }: ServerDialogProps) {
  const [attempt, setAttempt] = useState(0)
  const load = useCallback(
    (signal: AbortSignal) => calls.getInvites(server.id, signal).then(({ invites }) => invites),
    [calls, server.id],
  )
  const { items: invites, errors } = useLevel<Invite>(load, attempt)
  const { user } = context

  return (
    <Dialog title={server.display_name} size="large" onClose={onClose}>
      <About server={server} />
      <h3>Invites</h3>
      {invites === null && <Skeleton label="Loading the invites…" lines={2} tall />}
      <ErrorSummary errors={errors.map((message) => ({ message }))} />
      {errors.length > 0 && (
        <div className="row">
          <Button icon="refresh" onClick={() => setAttempt((last) => last + 1)}>
            Try again
          </Button>
          {!user.is_authenticated && <LinkButton href={logInHref(null, context.path)}>Log In</LinkButton>}
        </div>
      )}
      {invites?.length === 0 && errors.length === 0 && <p className="muted">No invites available for this server.</p>}
      {invites !== null && invites.length > 0 && (
        <ul className="stack">
          {invites.map((invite) => (
            <InviteEntry
              key={invite.id}
              invite={invite}
              timeZone={context.time_zone}
              onJoin={() => {
                // Counting is nobody's business but ours: joining goes on whatever comes of it.
                calls.trackUsage(invite.id).catch(() => undefined)
              }}
            />
          ))}
        </ul>
      )}
      {user.discord_user?.role_info.value === 'manager' && <UsesChart serverId={server.id} calls={calls} />}
      {user.discord_user && (
        <ReportForm onReport={(reason) => calls.report(server.id, reason).then(({ message }) => message)} />
      )}
    </Dialog>
  )
}
