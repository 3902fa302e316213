import { Hono } from 'hono'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { endSession } from './start-session.ts'
import type { SiteEnv } from '../../web/site.ts'
import { ownerOf } from '../owner.ts'
import { requireSignIn, signedIn } from '../roles.ts'
import { SessionsPage } from './page.tsx'
import { endOneSession, endOtherSessions, listSessions, publicIdOf } from './sessions.ts'

export const sessionRoutes = new Hono<SiteEnv>()

sessionRoutes.get('/sessions/', requireSignIn, async (c) => {
  const { user, session } = signedIn(c)
  const sessions = await listSessions(c.env, user.id, Date.now())
  return showPage(c, {
    page: 'Sessions',
    title: 'Sessions',
    body: <SessionsPage context={contextOf(c)} sessions={sessions} current={publicIdOf(session.idHash)} />,
  })
})

sessionRoutes.post('/sessions/', requireSignIn, async (c) => {
  const { session } = signedIn(c)
  const form = await formOf(c)
  const id = textField(form, 'session')
  if (textField(form, 'action_end_others') !== '') {
    const ended = await endOtherSessions(c.env, ownerOf(c), session.idHash)
    flash(c, 'success', ended === 1 ? 'One other session was ended.' : `${ended} other sessions were ended.`)
    return c.redirect('/accounts/sessions/', 303)
  }
  if (id === publicIdOf(session.idHash)) {
    await endSession(c)
    flash(c, 'success', 'You have signed out.')
    return c.redirect('/', 303)
  }
  const isEnded = await endOneSession(c.env, ownerOf(c), id)
  flash(c, isEnded ? 'success' : 'info', isEnded ? 'The session was ended.' : 'This session had already ended.')
  return c.redirect('/accounts/sessions/', 303)
})
