import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import { absoluteText } from '../../../client/components/time-text.ts'
import type { PageContext } from '../../web/contract.ts'
import { iso } from '../../lib/time.ts'
import { browserName, placeText } from '../mails/occasion.ts'
import { Links, yourAccount } from '../pages/form-page.tsx'
import type { ListedSession } from './sessions.ts'

interface SessionsPageProps {
  context: PageContext
  sessions: readonly ListedSession[]
  /** The public id of this browser's session. */
  current: string
}

/** Where a user is signed in, with buttons to end each session. */
export function SessionsPage({ context, sessions, current }: SessionsPageProps) {
  return (
    <div className="medium stack">
      <h1>Sessions</h1>
      <p>These browsers are logged in to your account. End any that you do not recognize, and change your password.</p>
      <ul className="card rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} context={context} session={session} isCurrent={session.id === current} />
        ))}
      </ul>
      {sessions.length > 1 ? (
        <form method="post" action="/accounts/sessions/">
          <CsrfToken context={context} />
          <Button kind="danger" type="submit" name="action_end_others" value="1">
            End all other sessions
          </Button>
        </form>
      ) : null}
      <Links links={[yourAccount]} />
    </div>
  )
}

function SessionRow({
  context,
  session,
  isCurrent,
}: {
  context: PageContext
  session: ListedSession
  isCurrent: boolean
}) {
  const time = (at: number) => <time dateTime={iso(at)}>{absoluteText(iso(at), context.time_zone)}</time>
  const place = placeText({ ipAddress: session.ip_address, country: session.country })
  const browser = browserName(session.user_agent)
  return (
    <li className="row card-body">
      <div className="grow stack stack-small">
        <p className="row">
          <strong>{browser}</strong> {isCurrent ? <Badge tone="info">This browser</Badge> : null}
        </p>
        <p className="muted small">{place}</p>
        <p className="muted small">
          {isCurrent ? 'In use now' : <>Last used {time(session.last_used_at)}</>} · logged in{' '}
          {time(session.created_at)}
        </p>
      </div>
      <form method="post" action="/accounts/sessions/">
        <CsrfToken context={context} />
        <input type="hidden" name="session" value={session.id} />
        <Button
          type="submit"
          aria-label={isCurrent ? 'Log out of this browser' : `End the session of ${browser}, ${place}`}
        >
          {isCurrent ? 'Log out' : 'End'}
        </Button>
      </form>
    </li>
  )
}
