import { Hono } from 'hono'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import { renewAuthentication } from '../../web/session-records.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { takeLimits, tooManySentence } from '../account-limits.ts'
import { ContinuePage } from '../discord/pages/continue.tsx'
import { findPasswordHash } from '../find-user.ts'
import { safeNext } from '../next.ts'
import { type Fault, FormPage, TextInput } from '../pages/form-page.tsx'
import { NoticePage } from '../pages/notice-page.tsx'
import { requireSignIn, signedIn } from '../require-sign-in.ts'
import { isRight } from '../sign-in.ts'
import { resume } from './recently-authenticated.ts'

export const reauthenticateRoutes = new Hono<SiteEnv>()

reauthenticateRoutes.get('/reauthenticate/', requireSignIn, async (c) =>
  show(c, safeNext(c.req.query('next')) ?? '', await findPasswordHash(c.env, signedIn(c).user.id)),
)

reauthenticateRoutes.post('/reauthenticate/', requireSignIn, async (c) => {
  const { user } = signedIn(c)
  const form = await formOf(c)
  const next = safeNext(textField(form, 'next')) ?? ''
  const password = textField(form, 'password')
  const retryAfter = await takeLimits(c, [['reauthenticate', String(user.id)]])
  const hash = await findPasswordHash(c.env, user.id)
  if (retryAfter !== null) {
    c.header('retry-after', String(retryAfter))
    return show(c, next, hash, [{ message: tooManySentence }], 429)
  }
  if (!(await isRight({ password_hash: hash }, password))) {
    return show(c, next, hash, [{ field: 'password', message: 'Incorrect password.' }], 422)
  }
  return goOn(c, next)
})

/** After somebody has shown again who they are, by whatever method: their waiting form is carried out, or they go to `next`. */
export async function goOn(c: SiteContext, next: string): Promise<Response> {
  const { session } = signedIn(c)
  const now = Date.now()
  await renewAuthentication(c.env, session.idHash, now)
  c.set('session', { ...session, authenticatedAt: now })
  return (await resume(c, next)) ?? c.redirect(next === '' ? '/accounts/' : next, 303)
}

/** The way for those who have forgotten their password. */
function throughDiscord(next: string): { href: string; label: string } {
  const query = new URLSearchParams({ process: 'redirect', next })
  return { href: `/accounts/discord/login/?${query}`, label: 'Confirm with Discord instead' }
}

function show(
  c: SiteContext,
  next: string,
  hash: string | null,
  faults: Fault[] = [],
  status: 200 | 422 | 429 = 200,
): Promise<Response> {
  const { username } = signedIn(c).user
  return showPage(c, {
    page: 'Reauthenticate',
    title: 'Confirm Access',
    props: {},
    status,
    faults,
    body:
      hash === null && c.get('user')?.discord_user ? (
        <ContinuePage context={contextOf(c)} errand={{ process: 'redirect', next, referral: '' }} />
      ) : hash === null ? (
        <NoticePage title="Confirm Access" links={[{ href: '/accounts/', label: 'Your account' }]}>
          <p>Your account has no password. Sign out and in again to go on; then you have 5 minutes.</p>
        </NoticePage>
      ) : (
        <FormPage
          context={contextOf(c)}
          title="Confirm Access"
          lead="To safeguard your account, please type your password again. What you were doing goes on afterwards."
          action="/accounts/reauthenticate/"
          submit="Confirm"
          faults={faults}
          next={next}
          links={[
            ...(c.get('user')?.discord_user ? [throughDiscord(next)] : []),
            { href: '/accounts/', label: 'Cancel' },
          ]}
        >
          <input type="text" name="username" autoComplete="username" defaultValue={username} hidden readOnly />
          <TextInput name="password" label="Password" type="password" autoComplete="current-password" faults={faults} />
        </FormPage>
      ),
  })
}
