import { Hono } from 'hono'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { DiscordMark } from '../../../client/components/discord-mark.tsx'
import { ErrorSummary } from '../../../client/components/error-summary.tsx'
import { PostForm } from '../../../client/components/post-form.tsx'
import type { PageContext } from '../../web/contract.ts'
import { flash } from '../../web/session/flash.ts'
import { contextOf, showPage } from '../../web/page/page.tsx'
import { formOf, positiveInteger, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { withoutLinks } from '../mails/links.ts'
import { ownerOf } from '../owner.ts'
import { AccountPage } from '../pages/account-page.tsx'
import { recentlyAuthenticated } from '../reauthenticate/recently-authenticated.ts'
import { requireLogin, loggedIn } from '../roles.ts'
import { type Connection, findConnection, removeConnection } from './connections.ts'
import { endTokens } from './sealed-tokens.ts'
import { connectionsPath, discordLoginPath } from '../paths.ts'

export const connectionRoutes = new Hono<SiteEnv>()

connectionRoutes.get('/3rdparty/', requireLogin, (c) => show(c, ''))

connectionRoutes.post('/3rdparty/', requireLogin, recentlyAuthenticated(connectionsPath, remove))

async function remove(c: SiteContext): Promise<Response> {
  const { user } = loggedIn(c)
  const id = positiveInteger(textField(await formOf(c), 'account')) ?? 0
  const now = Date.now()
  const connection = await findConnection(c.env, user.id)
  if (!connection) return c.redirect(connectionsPath, 303)
  const detail = `Discord account: ${withoutLinks(`${connection.display_name} (${connection.username})`)}.`
  const notice = await prepareNotice(c, { kind: 'account_disconnected', userId: user.id, detail }, now)
  const removal = await removeConnection(c.env, ownerOf(c), id, now, notice.statements)
  if (!removal.ok) return show(c, removal.message)
  c.executionCtx.waitUntil(endTokens(c.env, removal.tokens))
  notice.send()
  flash(c, 'success', 'The third-party account has been disconnected.')
  return c.redirect(connectionsPath, 303)
}

async function show(c: SiteContext, message: string): Promise<Response> {
  const connection = await findConnection(c.env, loggedIn(c).user.id)
  return showPage(c, {
    page: 'Connections',
    title: 'Account connections',
    status: message === '' ? 200 : 422,
    errors: [{ message }],
    body: <ConnectionsPage context={contextOf(c)} connection={connection} message={message} />,
  })
}

interface ConnectionsPageProps {
  context: PageContext
  connection: Connection | null
  /** Why the account was not removed; '' unless a removal was refused. */
  message: string
}

function ConnectionsPage({ context, connection, message }: ConnectionsPageProps) {
  return (
    <AccountPage title="Account connections">
      <ErrorSummary errors={message === '' ? [] : [{ message }]} />
      {connection === null ? (
        <div className="card card-body stack">
          <p>You currently have no third-party accounts connected to this account.</p>
          <div className="row">
            <LinkButton kind="discord" href={`${discordLoginPath}?process=connect`}>
              <DiscordMark />
              Connect Discord
            </LinkButton>
          </div>
        </div>
      ) : (
        <Connected context={context} connection={connection} />
      )}
    </AccountPage>
  )
}

function Connected({ context, connection }: { context: PageContext; connection: Connection }) {
  const tag = connection.discriminator === '0' ? '' : `#${connection.discriminator}`
  return (
    <>
      <p>
        {connection.is_disabled
          ? 'This third-party account is connected, but it was disabled here, so you cannot log in with it:'
          : 'You can log in to your account with this third-party account:'}
      </p>
      <PostForm context={context} className="card card-body stack" action={connectionsPath}>
        <div className="check">
          <input id="account" name="account" type="radio" value={connection.id} defaultChecked required />
          <label htmlFor="account">
            <span className="strong">{connection.display_name}</span>
            <span className="muted small">{` Discord, ${connection.username}${tag}`}</span>
          </label>
        </div>
        <div className="row">
          <Button kind="danger" type="submit">
            Remove
          </Button>
        </div>
      </PostForm>
    </>
  )
}
