import { formOf, textField } from '../web/parse.ts'
import type { SiteContext } from '../web/site.ts'
import { safeNext } from './next.ts'
import { signInWithPassword } from './sign-in.ts'

/** The form as it was sent, to be shown again, without the password. */
export interface SentSignIn {
  login: string
  remember: boolean
  next: string
  message: string
  status: 422 | 429
}

/**
 * Answers a posted login form: a redirect to `next`, else `home`, or the form again.
 * @param page.loginField the name of the field with the username
 */
export async function answerSignIn(
  c: SiteContext,
  page: { loginField: string; home: string; showAgain: (sent: SentSignIn) => Response | Promise<Response> },
): Promise<Response> {
  const form = await formOf(c)
  const login = textField(form, page.loginField)
  const remember = textField(form, 'remember') !== ''
  const next = safeNext(textField(form, 'next'))
  const to = next ?? page.home
  const result = await signInWithPassword(c, { login, password: textField(form, 'password'), remember, to })
  if (result.ok) return c.redirect(result.location, 303)
  if (result.status === 429) c.header('retry-after', String(result.retryAfter))
  return page.showAgain({ login, remember, next: next ?? '', message: result.message, status: result.status })
}
