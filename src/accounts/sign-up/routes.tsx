import { Hono } from 'hono'
import { emptyForm } from '../../web/edge-cache.ts'
import { flash } from '../../web/flash.ts'
import { contextOf } from '../../web/page-context.ts'
import { showPage } from '../../web/page.tsx'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits, tooManySentence } from '../account-limits.ts'
import { confirmationMessage, sendConfirmation } from '../email/send-confirmation.ts'
import { safeNext } from '../next.ts'
import { type Fault, FormPage, NewPassword, TextInput } from '../pages/form-page.tsx'
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
  if (retryAfter !== null) {
    c.header('retry-after', String(retryAfter))
    return show(c, { email, username, next, faults: [{ message: tooManySentence }], status: 429 })
  }
  const [password1, password2] = [textField(form, 'password1'), textField(form, 'password2')]
  const result = await signUp(c, { email, username, password1, password2 }, Date.now())
  if (!result.ok) return show(c, { email, username, next, faults: result.faults, status: 422 })
  const confirmation = await sendConfirmation(c, result, Date.now())
  flash(c, ...confirmationMessage(confirmation, result.address))
  return c.redirect('/accounts/confirm-email/', 303)
})

interface Shown {
  email: string
  username: string
  next: string
  faults?: Fault[]
  status?: 422 | 429
}

function show(c: SiteContext, { email, username, next, faults = [], status }: Shown): Promise<Response> {
  const loginPage = next === '' ? '/accounts/login/' : `/accounts/login/?${new URLSearchParams({ next })}`
  return showPage(c, {
    page: 'Signup',
    title: 'Sign Up',
    props: {},
    status: status ?? 200,
    faults,
    body: (
      <FormPage
        context={contextOf(c)}
        title="Sign Up"
        action="/accounts/signup/"
        submit="Sign Up"
        faults={faults}
        next={next}
        links={[{ href: loginPage, label: 'Already have an account? Sign in' }]}
      >
        <TextInput name="email" label="Email address" type="email" autoComplete="email" value={email} faults={faults} />
        <TextInput
          name="username"
          label="Username"
          autoComplete="username"
          value={username}
          faults={faults}
          help="Letters, digits and . + - _"
        />
        <NewPassword faults={faults} />
      </FormPage>
    ),
  })
}
