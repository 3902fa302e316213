import { desc, eq, sql } from 'drizzle-orm'
import { prepared, query, readTogether, parameter } from '../db/query.ts'
import { emailAddress, user as account } from '../db/schema/index.ts'
import { writeCookie } from '../web/security/cookies.ts'
import { flash } from '../web/session/flash.ts'
import { startSession } from './sessions/start-session.ts'
import type { SiteContext } from '../web/site.ts'
import { canUseDiscord, countDiscordLogin } from './discord/discord-account.ts'
import type { LoginUser } from './find-user.ts'
import { rememberBrowser } from './known-browser.ts'
import { sealedKeysOf } from './two-factor/second-factor.ts'
import { keepSecondStep, type LoginOptions } from './two-factor/second-step.ts'
import { userHasVerifiedAs } from './email/address-conditions.ts'
import { noneSentPath, sendConfirmation } from './email/send-confirmation.ts'
import { inactivePath, loginPath, authenticatePath } from './paths.ts'
import { LOGIN_SECONDS } from './durations.ts'

const bestAddress = prepared(() =>
  query
    .select({ address: emailAddress.address, verified_at: emailAddress.verifiedAt })
    .from(emailAddress)
    .where(eq(emailAddress.userId, parameter('userId')))
    .orderBy(sql`${emailAddress.verifiedAt} IS NOT NULL DESC`, desc(emailAddress.isPrimary))
    .limit(1),
)

/**
 * The last step of every method: an active account, a verified address and the second factor, in this order. Returns
 * where to redirect to. @param user who has authenticated, with their password's hash as it was at that moment
 */
export async function logInUser(c: SiteContext, user: LoginUser, options: LoginOptions): Promise<string> {
  if (!user.is_active) return inactivePath
  const userId = user.id
  const [[address], [twoFactor]] = await readTogether(c.env.DB, bestAddress({ userId }), sealedKeysOf({ userId }))
  if (!address || address.verified_at === null) return askToConfirm(c, user, address?.address ?? null)
  if (twoFactor) return askForCode(c, user, options)
  return completeLogin(c, user, options)
}

async function askToConfirm(c: SiteContext, user: LoginUser, address: string | null): Promise<string> {
  await rememberBrowser(c, user)
  return address === null ? noneSentPath : sendConfirmation(c, { userId: user.id, address })
}

async function askForCode(c: SiteContext, user: LoginUser, options: LoginOptions): Promise<string> {
  const token = await keepSecondStep(c.env, user, options, Date.now())
  if (token === null) return changedMeanwhile(c)
  writeCookie(c, 'second_step', token, LOGIN_SECONDS)
  return authenticatePath
}

function changedMeanwhile(c: SiteContext): string {
  flash(c, 'error', 'Your account changed while you were logging in. Please log in again.')
  return loginPath
}

/** Starts the session of a user who has passed every check. Returns where to go. */
export async function completeLogin(c: SiteContext, user: LoginUser, options: LoginOptions): Promise<string> {
  const { method, address } = options
  const isMailed = address === undefined ? undefined : userHasVerifiedAs(account.id, address)
  const only = method === 'discord' ? canUseDiscord(account.id) : isMailed
  if (!(await startSession(c, user, options.remember, only))) return changedMeanwhile(c)
  await rememberBrowser(c, user)
  if (method === 'discord') await countDiscordLogin(c.env, user.id)
  const { greeting = `Successfully signed in as ${user.username}.` } = options
  if (greeting !== null) flash(c, 'success', greeting)
  return options.to
}
