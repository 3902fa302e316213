import { Hono } from 'hono'
import { Badge } from '../../client/components/badge.tsx'
import { CardLink } from '../../client/components/card.tsx'
import { PageHead } from '../../client/components/page-head.tsx'
import { contextOf, showPage } from '../web/page/page.tsx'
import type { SiteEnv } from '../web/site.ts'
import { type Connection, findConnection } from './discord/connections.ts'
import { listAddresses } from './email/addresses.ts'
import { findUserById } from './find-user.ts'
import { requireLogin, loggedIn } from './roles.ts'
import { listSessions } from './sessions/sessions.ts'
import { findTwoFactor } from './two-factor/second-factor.ts'
import {
  logoutPath,
  emailPath,
  changePasswordPath,
  setPasswordPath,
  sessionsPath,
  connectionsPath,
  twoFactorPath,
} from './paths.ts'

export const overviewRoutes = new Hono<SiteEnv>()

overviewRoutes.get('/', requireLogin, async (c) => {
  const { user } = loggedIn(c)
  const [account, addresses, sessions, connection, twoFactor] = await Promise.all([
    findUserById(c.env, user.id),
    listAddresses(c.env, user.id),
    listSessions(c.env, user.id, Date.now()),
    findConnection(c.env, user.id),
    findTwoFactor(c.env, user.id),
  ])
  const primary = addresses.find(({ is_primary }) => is_primary)
  const hasPassword = account !== null && account.password_hash !== null
  return showPage(c, {
    page: 'Account',
    title: 'Your account',
    body: (
      <div className="medium stack stack-large">
        <PageHead
          title="Your account"
          about={
            <>
              {`Logged in as ${contextOf(c).user.name}`}
              {user.is_superuser ? <Badge tone="info">Superuser</Badge> : null}
            </>
          }
        />
        <div className="cards ways">
          <CardLink href={emailPath} icon="email" title="Email addresses">
            {primary ? `${primary.address}${primary.verified_at === null ? ', not verified yet' : ''}` : 'None yet'}
            {addresses.length > 1 ? ` and ${addresses.length - 1} more` : ''}
          </CardLink>
          <CardLink
            href={hasPassword ? changePasswordPath : setPasswordPath}
            icon="pencil"
            title={hasPassword ? 'Change password' : 'Set a password'}
          >
            {hasPassword ? 'Changing it logs out every other browser.' : 'Your account has no password yet.'}
          </CardLink>
          <CardLink href={connectionsPath} icon="link" title="Connections">
            {connectionText(connection)}
          </CardLink>
          <CardLink href={twoFactorPath} icon="lock" title="Two-factor authentication">
            {twoFactor ? 'Active: logging in requires a code from your app.' : 'Not active yet.'}
          </CardLink>
          <CardLink href={sessionsPath} icon="push" title="Sessions">
            {sessions.length === 1 ? 'Only this browser is logged in.' : `${sessions.length} browsers are logged in.`}
          </CardLink>
          <CardLink href={logoutPath} icon="out" title="Log out">
            This browser.
          </CardLink>
        </div>
      </div>
    ),
  })
})

function connectionText(connection: Connection | null): string {
  if (connection === null) return 'Connect Discord to log in with it.'
  return connection.is_disabled ? 'Your Discord account was disabled here.' : 'You can log in with Discord.'
}
