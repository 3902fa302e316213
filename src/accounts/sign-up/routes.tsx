import { Hono } from 'hono'
import { emptyForm } from '../../web/edge-cache.ts'
import { flash } from '../../web/flash.ts'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { confirmationMessage, sendConfirmation } from '../email/send-confirmation.ts'
import { rememberBrowser } from '../known-browser.ts'
import { safeNext } from '../next.ts'
import { NewPassword, TextInput } from '../pages/form-page.tsx'
import { invalid, noFaults, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { signUp } from './sign-up.ts'

export const signUpRoutes = new Hono<SiteEnv>()

signUpRoutes.get('/signup/', emptyForm, async (c) => {
  const next = safeNext(c.req.query('next')) ?? ''
  if (c.get('user')) return c.redirect(next || '/', 302)
  return show(c, { email: (c.req.query('email') ?? '').slice(0, 254), username: '', next })
})

signUpRoutes.post('/signup/', async (c) => {
  const form = await formOf(c)
  const [email, username] = [textField(form, 'email'), textField(form, 'username')]
  const next = safeNext(textField(form, 'next')) ?? ''
  if (c.get('user')) return c.redirect(next || '/', 303)
  const retryAfter = await takeLimits(c, [byAddress(c, 'signUp')])
  if (retryAfter !== null) return show(c, { email, username, next }, tooManyRequests(c, retryAfter))
  const [password1, password2] = [textField(form, 'password1'), textField(form, 'password2')]
  const result = await signUp(c, { email, username, password1, password2 }, Date.now())
  if (!result.ok) return show(c, { email, username, next }, invalid(...result.faults))
  await rememberBrowser(c, result.account)
  const confirmation = await sendConfirmation(c, { userId: result.account.id, address: result.address }, Date.now())
  flash(c, ...confirmationMessage(confirmation, result.address))
  return c.redirect('/accounts/confirm-email/', 303)
})

interface Shown {
  email: string
  username: string
  next: string
}

function show(c: SiteContext, { email, username, next }: Shown, { faults, status } = noFaults): Promise<Response> {
  const loginPage = next === '' ? '/accounts/login/' : `/accounts/login/?${new URLSearchParams({ next })}`
  return showForm(c, {
    page: 'Signup',
    title: 'Sign up',
    action: '/accounts/signup/',
    submit: 'Sign up',
    status,
    faults,
    next,
    links: [{ href: loginPage, label: 'Already have an account? Log in' }],
    children: (
      <>
        <TextInput name="email" label="Email address" type="email" autoComplete="email" value={email} faults={faults} />
        <TextInput
          name="username"
          label="Username"
          autoComplete="username"
          value={username}
          faults={faults}
          help="Letters, digits and . + - _"
        />
        <NewPassword faults={faults} isFirst />
      </>
    ),
  })
}
