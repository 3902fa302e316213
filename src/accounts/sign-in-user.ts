import { desc, eq, sql } from 'drizzle-orm'
import { kept, query, readFirst } from '../db/query.ts'
import { emailAddress } from '../db/schema/index.ts'
import { writeCookie } from '../web/cookies.ts'
import { flash } from '../web/flash.ts'
import { startSession } from './sessions/start-session.ts'
import type { SiteContext } from '../web/site.ts'
import type { SignInUser } from './find-user.ts'
import { rememberBrowser } from './known-browser.ts'
import type { SignInOptions } from './sign-in-methods.ts'
import { keepSecondStep, stepSeconds } from './two-factor/second-step.ts'
import { confirmationMessage, sendConfirmation } from './email/send-confirmation.ts'

/** Null to continue, or where they have to go instead. */
type Check = (c: SiteContext, user: SignInUser, options: SignInOptions) => Promise<string | null> | string | null

/** What everybody has to pass, in this order, before a session starts. */
const checks: Check[] = [mustBeActive, mustHaveVerifiedAddress, mustShowSecondFactor]

/**
 * The last step of every method of signing in. Returns where to redirect to: `options.to`, or what still has to be done.
 * @param user somebody who has shown who they are, with their password's hash as it was at that moment
 */
export async function signInUser(c: SiteContext, user: SignInUser, options: SignInOptions): Promise<string> {
  for (const check of checks) {
    const elsewhere = await check(c, user, options)
    if (elsewhere !== null) return elsewhere
  }
  return completeSignIn(c, user, options)
}

/** Starts the session of somebody who has passed every check. Returns where to go. */
export async function completeSignIn(c: SiteContext, user: SignInUser, options: SignInOptions): Promise<string> {
  if (!(await startSession(c, user, options.remember))) {
    flash(c, 'error', 'The password was changed in the meantime. Please log in again.')
    return '/accounts/login/'
  }
  await rememberBrowser(c, user)
  const { greeting = `Successfully signed in as ${user.username}.` } = options
  if (greeting !== null) flash(c, 'success', greeting)
  return options.to
}

function mustBeActive(_c: SiteContext, user: SignInUser): string | null {
  return user.is_active ? null : '/accounts/inactive/'
}

const bestAddress = kept(() =>
  query
    .select({ address: emailAddress.address, verified_at: emailAddress.verifiedAt })
    .from(emailAddress)
    .where(eq(emailAddress.userId, sql.placeholder('userId')))
    .orderBy(sql`${emailAddress.verifiedAt} IS NOT NULL DESC`, desc(emailAddress.isPrimary))
    .limit(1),
)

async function mustHaveVerifiedAddress(c: SiteContext, user: SignInUser): Promise<string | null> {
  const row = await readFirst(c.env.DB, bestAddress({ userId: user.id }))
  if (row && row.verified_at !== null) return null
  await rememberBrowser(c, user)
  if (row) {
    const result = await sendConfirmation(c, { userId: user.id, address: row.address }, Date.now())
    flash(c, ...confirmationMessage(result, row.address))
  }
  return '/accounts/confirm-email/'
}

async function mustShowSecondFactor(c: SiteContext, user: SignInUser, options: SignInOptions): Promise<string | null> {
  const token = await keepSecondStep(c.env, user, options, Date.now())
  if (token === null) return null
  writeCookie(c, 'second_step', token, stepSeconds)
  return '/accounts/2fa/authenticate/'
}
