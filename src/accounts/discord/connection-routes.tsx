import { Hono } from 'hono'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, positiveInteger, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { postNotice } from '../mails/post-notice.ts'
import { withoutLinks } from '../mails/without-links.ts'
import { recentlyAuthenticated } from '../reauthenticate/recently-authenticated.ts'
import { requireSignIn, signedIn } from '../require-sign-in.ts'
import { connectionsPage } from './callback.ts'
import { findConnection, removeConnection } from './connections.ts'
import { ConnectionsPage } from './pages/connections.tsx'

/** Which third-party accounts somebody may sign in with. */
export const connectionRoutes = new Hono<SiteEnv>()

connectionRoutes.get('/3rdparty/', requireSignIn, (c) => show(c, ''))

connectionRoutes.post('/3rdparty/', requireSignIn, recentlyAuthenticated(connectionsPage, remove))

async function remove(c: SiteContext): Promise<Response> {
  const { user } = signedIn(c)
  const id = positiveInteger(textField(await formOf(c), 'account')) ?? 0
  const now = Date.now()
  const removal = await removeConnection(c.env, { id, userId: user.id }, now, (work) => c.executionCtx.waitUntil(work))
  if (!removal.ok) return show(c, removal.message)
  const { display_name, username } = removal.connection
  const detail = `Discord account: ${withoutLinks(`${display_name} (${username})`)}.`
  await postNotice(c, { kind: 'account_disconnected', userId: user.id, detail }, now)
  flash(c, 'success', 'The third-party account has been disconnected.')
  return c.redirect(connectionsPage, 303)
}

async function show(c: SiteContext, message: string): Promise<Response> {
  const connection = await findConnection(c.env, signedIn(c).user.id)
  return showPage(c, {
    page: 'Connections',
    title: 'Account connections',
    props: {},
    status: message === '' ? 200 : 422,
    faults: [{ message }],
    body: <ConnectionsPage context={contextOf(c)} connection={connection} message={message} />,
  })
}
