import { Hono } from 'hono'
import { and, eq, gt, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../../lib/time.ts'
import { emptyForm } from '../../web/edge/edge-cache.ts'
import { offerExpiredForm } from '../../web/session/expired-form.ts'
import { formOf, textField } from '../../web/parse.ts'
import type { SiteContext, SiteEnv } from '../../web/site.ts'
import { byAddress, takeLimits } from '../account-limits.ts'
import { notAnAddress, typedAddress } from '../../notify/email/mail-address.ts'
import { userHasUnverified, userHasVerified } from '../email/address-conditions.ts'
import { sendConfirmation } from '../email/send-confirmation.ts'
import { type ProvenAccount, rememberBrowser } from '../known-browser.ts'
import { safeNext, withNext } from '../next.ts'
import { NewPassword, TextInput } from '../pages/form-page.tsx'
import { invalid, noErrors, showForm, tooManyRequests } from '../pages/show-form.tsx'
import { postedPassword } from '../password-rules.ts'
import { isSecondPress } from '../log-in.ts'
import { isUsername, notAUsername, isUsernameTaken, loginUserFields, usernameTaken } from '../find-user.ts'
import { query, readFirst, writeTogether, isDuplicate, condition } from '../../db/query.ts'
import { emailAddress, user } from '../../db/schema/index.ts'
import { hashNewPassword } from '../password-hash.ts'
import { loginPath, signUpPath } from '../paths.ts'

export const signUpRoutes = new Hono<SiteEnv>()
/** How long after a sign-up the same form, with the same password, leads to the account that it added. */
const SAME_SIGN_UP_MS = 5 * MINUTE_MS

signUpRoutes.get('/signup/', emptyForm, async (c) => {
  const next = safeNext(c.req.query('next')) ?? ''
  if (c.get('user')) return c.redirect(next || '/', 302)
  const expiredForm = await offerExpiredForm(c, signUpPath)
  return show(
    c,
    expiredForm ? typedIn(expiredForm) : { email: (c.req.query('email') ?? '').slice(0, 254), username: '', next },
  )
})

signUpRoutes.post('/signup/', async (c) => {
  const form = await formOf(c)
  const sent = typedIn(form)
  if (c.get('user')) return c.redirect(sent.next || '/', 303)
  const retryAfter = await takeLimits(c, [byAddress(c, 'signUp')])
  if (retryAfter !== null) return show(c, sent, tooManyRequests(c, retryAfter))
  const [address, username] = [typedAddress(sent.email), sent.username.trim()]
  const { password, errors } = postedPassword(form, { username, email: address ?? '' })
  if (!isUsername(username)) errors.unshift({ field: 'username', message: notAUsername })
  if (address === null) errors.unshift({ field: 'email', message: notAnAddress })
  if (address === null || errors.length > 0) return show(c, sent, invalid(...errors))
  const now = Date.now()
  const account =
    (await addAccount(c.env, { username, address, password }, now)) ??
    (await findJustAdded(c, { username, address, password }, now))
  if (!account) return show(c, sent, invalid({ field: 'username', message: usernameTaken }))
  await rememberBrowser(c, account)
  return c.redirect(await sendConfirmation(c, { userId: account.id, address }), 303)
})

interface Shown {
  email: string
  username: string
  next: string
}

/** What was typed, without the passwords. */
const typedIn = (form: FormData): Shown => ({
  email: textField(form, 'email'),
  username: textField(form, 'username'),
  next: safeNext(textField(form, 'next')) ?? '',
})

function show(c: SiteContext, { email, username, next }: Shown, { errors, status } = noErrors): Promise<Response> {
  return showForm(c, {
    page: 'Signup',
    title: 'Sign up',
    action: signUpPath,
    submit: 'Sign up',
    status,
    errors,
    next,
    links: [{ href: withNext(loginPath, next), label: 'Already have an account? Log in' }],
    children: (
      <>
        <TextInput name="email" label="Email address" type="email" autoComplete="email" value={email} errors={errors} />
        <TextInput
          name="username"
          label="Username"
          autoComplete="username"
          value={username}
          errors={errors}
          help="Letters, digits and . + - _"
        />
        <NewPassword errors={errors} isFirst />
      </>
    ),
  })
}

interface NewAccount {
  username: string
  address: string
  password: string
}

/**
 * Null when the username is taken. That someone else has verified the address does not matter: the new account can
 * never confirm it, and the answer does not reveal that the address has an account.
 */
async function addAccount(
  env: Env,
  { username, address, password }: NewAccount,
  now: number,
): Promise<ProvenAccount | null> {
  if (await isUsernameTaken(env, username)) return null
  const hash = await hashNewPassword(password)
  try {
    const [added] = await writeTogether(env.DB, [
      query
        .insert(user)
        .values({ username, email: address, passwordHash: hash, createdAt: now })
        .returning({ id: user.id, password_hash: user.passwordHash, created_at: user.createdAt }),
      query.insert(emailAddress).values({
        userId: sql`(SELECT ${user.id} FROM ${user} WHERE lower(${user.username}) = lower(${username}))`,
        address,
        isPrimary: true,
        createdAt: now,
      }),
    ])
    return added.rows[0] ?? null
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}

/**
 * The account that the first press of the same form added: its browser may show only the second answer. The password is
 * also checked for another address, so that the time does not reveal the account's.
 */
async function findJustAdded(
  c: SiteContext,
  { username, address, password }: NewAccount,
  now: number,
): Promise<ProvenAccount | null> {
  const isOwn = condition(userHasUnverified(user.id, address))
  const added = await readFirst(
    c.env.DB,
    query
      .select({ ...loginUserFields, is_own: isOwn })
      .from(user)
      .where(
        and(
          sql`lower(${user.username}) = lower(${username}) AND NOT ${userHasVerified(user.id)}`,
          gt(user.createdAt, now - SAME_SIGN_UP_MS),
          eq(user.isActive, true),
        ),
      ),
  )
  return added && (await isSecondPress(c, added, password)) && added.is_own ? added : null
}
