import { clearLimit, giveBack, takeLimits } from './account-limits.ts'
import { listAddresses } from './email/addresses.ts'
import { knownBrowser, limitKeyOf, type ProvenAccount } from './known-browser.ts'
import type { SiteContext } from '../web/site.ts'

/** The limits that one login attempt counts against. */
interface FailureLimits {
  /** The typed name's, which everybody who types it shares; null in a known browser, which has a limit of its own. */
  name: string | null
  /** The account's, however it is named. Without an account, the name has a second one, which takes the same time. */
  account: string
}

export async function failureLimitsOf(
  c: SiteContext,
  login: string,
  user: (ProvenAccount & { username: string }) | null,
): Promise<FailureLimits> {
  if (!user) return { name: login, account: login }
  const isKnown = (await knownBrowser(c, user)) !== null
  return { name: isKnown ? null : login, account: await limitKeyOf(c, user) }
}

/**
 * Counts a failure. `refusedFor`: null, or the seconds to wait. `isLocked`: the account's limit was used up under other
 * names, so even the right password must look wrong: a refusal would reveal that the names belong to one account.
 */
export async function takeFailure(
  c: SiteContext,
  { name, account }: FailureLimits,
): Promise<{ refusedFor: number | null; isLocked: boolean }> {
  if (name === null) return { refusedFor: await takeLimits(c, [['loginFailedOf', account]]), isLocked: false }
  const refusedFor = await takeLimits(c, [['loginFailedAs', name]])
  if (refusedFor !== null) return { refusedFor, isLocked: false }
  return { refusedFor, isLocked: (await takeLimits(c, [['loginFailedOf', account]])) !== null }
}

/** For a password that was not checked, or was no guess. */
export async function giveBackFailure(c: SiteContext, { name, account }: FailureLimits): Promise<void> {
  await Promise.all([
    ...(name === null ? [] : [giveBack(c, ['loginFailedAs', name])]),
    giveBack(c, ['loginFailedOf', account]),
  ])
}

/** After the right password. */
export async function clearFailures(c: SiteContext, { name, account }: FailureLimits): Promise<void> {
  await Promise.all([
    ...(name === null ? [] : [clearLimit(c, 'loginFailedAs', name)]),
    clearLimit(c, 'loginFailedOf', account),
  ])
}

/** After a new password: under all names of the account. */
export async function clearFailuresOf(c: SiteContext, user: { userId: number; username: string }): Promise<void> {
  const addresses = await listAddresses(c.env, user.userId)
  const names = [user.username, ...addresses.map(({ address }) => address)]
  await Promise.all([
    clearLimit(c, 'loginFailedOf', user.username),
    ...names.map((name) => clearLimit(c, 'loginFailedAs', name)),
  ])
}
