import { Hono } from 'hono'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { endSession } from './start-session.ts'
import type { SiteEnv } from '../../web/site.ts'
import { ownerOf } from '../owner.ts'
import { requireLogin, loggedIn } from '../roles.ts'
import { endOneSession, endOtherSessions, type ListedSession, listSessions, publicIdOf } from './sessions.ts'
import { Badge } from '../../../client/components/badge.tsx'
import { Button } from '../../../client/components/button.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import { AbsoluteTime } from '../../../client/components/relative-time.tsx'
import type { PageContext } from '../../web/contract.ts'
import { iso } from '../../lib/time.ts'
import { browserName, placeText } from '../mails/request-facts.ts'
import { AccountPage } from '../pages/account-page.tsx'
import { sessionsPath } from '../paths.ts'

export const sessionRoutes = new Hono<SiteEnv>()

sessionRoutes.get('/sessions/', requireLogin, async (c) => {
  const { user, session } = loggedIn(c)
  const sessions = await listSessions(c.env, user.id, Date.now())
  return showPage(c, {
    page: 'Sessions',
    title: 'Sessions',
    body: <SessionsPage context={contextOf(c)} sessions={sessions} current={publicIdOf(session.idHash)} />,
  })
})

sessionRoutes.post('/sessions/', requireLogin, async (c) => {
  const { session } = loggedIn(c)
  const form = await formOf(c)
  const id = textField(form, 'session')
  if (textField(form, 'action_end_others') !== '') {
    const ended = await endOtherSessions(c.env, ownerOf(c), session.idHash)
    flash(c, 'success', ended === 1 ? 'One other session was ended.' : `${ended || 'No'} other sessions were ended.`)
    return c.redirect(sessionsPath, 303)
  }
  if (id === publicIdOf(session.idHash)) {
    await endSession(c)
    flash(c, 'success', 'You have signed out.')
    return c.redirect('/', 303)
  }
  const isEnded = await endOneSession(c.env, ownerOf(c), id)
  flash(c, isEnded ? 'success' : 'info', isEnded ? 'The session was ended.' : 'This session had already ended.')
  return c.redirect(sessionsPath, 303)
})

interface SessionsPageProps {
  context: PageContext
  sessions: readonly ListedSession[]
  /** The public id of this browser's session. */
  current: string
}

function SessionsPage({ context, sessions, current }: SessionsPageProps) {
  return (
    <AccountPage title="Sessions">
      <p>These browsers are logged in to your account. End any that you do not recognize, and change your password.</p>
      <ul className="card rows">
        {sessions.map((session) => (
          <SessionRow key={session.id} context={context} session={session} isCurrent={session.id === current} />
        ))}
      </ul>
      {sessions.length > 1 ? (
        <PostForm context={context} action={sessionsPath}>
          <Button kind="danger" type="submit" name="action_end_others" value="1">
            End all other sessions
          </Button>
        </PostForm>
      ) : null}
    </AccountPage>
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
  const time = (at: number) => <AbsoluteTime at={iso(at)} timeZone={context.time_zone} />
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
      <PostForm context={context} action={sessionsPath}>
        <input type="hidden" name="session" value={session.id} />
        <Button
          type="submit"
          aria-label={isCurrent ? 'Log out of this browser' : `End the session of ${browser}, ${place}`}
        >
          {isCurrent ? 'Log out' : 'End'}
        </Button>
      </PostForm>
    </li>
  )
}
