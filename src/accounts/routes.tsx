import { Hono } from 'hono'
import { Button, LinkButton } from '../../client/components/button.tsx'
import { PostForm } from '../../client/components/post-form.tsx'
import { emptyForm } from '../web/edge/edge-cache.ts'
import { contextOf, showPage } from '../web/page/page.tsx'
import { formOf, textField } from '../web/parse.ts'
import { logOut } from './sessions/start-session.ts'
import type { SiteContext, SiteEnv } from '../web/site.ts'
import { codeRoutes } from './code/routes.tsx'
import { confirmRoutes } from './email/confirm-routes.tsx'
import { emailRoutes } from './email/manage-routes.tsx'
import { frontPageOf, safeNext } from './next.ts'
import { overviewRoutes } from './overview.tsx'
import { LoginPage } from './pages/login.tsx'
import { showNotice } from './pages/show-form.tsx'
import { changePasswordRoutes } from './password/change-routes.tsx'
import { resetKeyRoutes } from './password/reset-key-routes.tsx'
import { resetRoutes } from './password/reset-routes.tsx'
import { reauthenticateRoutes } from './reauthenticate/routes.tsx'
import { sessionRoutes } from './sessions/routes.tsx'
import { answerLogin, type LoginForm, initialLogin } from './log-in.ts'
import { signUpRoutes } from './sign-up/routes.tsx'
import { twoFactorRoutes } from './two-factor/routes.tsx'
import { loginPath, logoutPath } from './paths.ts'

export const accounts = new Hono<SiteEnv>()

const flows = [
  overviewRoutes,
  signUpRoutes,
  confirmRoutes,
  codeRoutes,
  emailRoutes,
  changePasswordRoutes,
  resetRoutes,
  resetKeyRoutes,
  reauthenticateRoutes,
  sessionRoutes,
  twoFactorRoutes,
]
for (const flow of flows) accounts.route('/', flow)

accounts.get('/login/', emptyForm, async (c) => {
  if (c.get('user')) return c.redirect(safeNext(c.req.query('next')) ?? '/', 302)
  return showLogin(c, await initialLogin(c, { path: loginPath, loginField: 'login' }))
})

accounts.post('/login/', (c) =>
  answerLogin(c, { loginField: 'login', home: '/', showAgain: (sent) => showLogin(c, sent) }),
)

accounts.get('/logout/', async (c) => {
  const next = safeNext(c.req.query('next'))
  const back = frontPageOf(next)
  if (!c.get('user')) return c.redirect(back, 302)
  return showPage(c, {
    page: 'Logout',
    title: 'Log out',
    // Asks first, because opening a link must not log anyone out.
    body: (
      <div className="narrow stack single">
        <h1>Log out</h1>
        <p>Are you sure you want to sign out?</p>
        <PostForm context={contextOf(c)} className="row" action={logoutPath}>
          <input type="hidden" name="next" value={next ?? ''} />
          <Button kind="primary" type="submit">
            Log out
          </Button>
          <LinkButton href={back}>Stay logged in</LinkButton>
        </PostForm>
      </div>
    ),
  })
})

accounts.post('/logout/', async (c) => {
  const form = c.req.header('content-type') === undefined ? null : await formOf(c)
  // The navbar's form has `next` in its URL; the page that asks first has it in a field.
  const next = safeNext((form && textField(form, 'next')) || c.req.query('next'))
  await logOut(c)
  return c.redirect(frontPageOf(next), 303)
})

accounts.get('/inactive/', (c) =>
  showNotice(c, {
    page: 'Inactive',
    title: 'Account Inactive',
    text: (
      <>
        <p>This account is inactive.</p>
        <p>A site administrator disabled it. If you think that is a mistake, contact them.</p>
      </>
    ),
    links: [
      { href: loginPath, label: 'Log in with another account' },
      { href: '/classcords/all/', label: 'Explore public servers' },
    ],
  }),
)

function showLogin(c: SiteContext, { status, ...shown }: LoginForm): Promise<Response> {
  return showPage(c, {
    page: 'Login',
    title: 'Log in',
    status,
    errors: [shown],
    body: <LoginPage context={contextOf(c)} {...shown} />,
  })
}
