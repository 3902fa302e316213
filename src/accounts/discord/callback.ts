import { flash } from '../../web/session/flash.ts'
import { readCookie, writeCookie } from '../../web/security/cookies.ts'
import type { SiteContext } from '../../web/site.ts'
import type { LoginUser } from '../find-user.ts'
import { prepareNotice } from '../mails/prepare-notice.ts'
import { withoutLinks } from '../mails/links.ts'
import { withNext } from '../next.ts'
import { ownerOf } from '../owner.ts'
import { continueFromDiscord } from '../reauthenticate/routes.tsx'
import { logInUser } from '../log-in-user.ts'
import { type Admit, refusalOf } from './admission.ts'
import { findConnection } from './connections.ts'
import { DiscordFailure, exchangeCode, fetchGuildIds, fetchProfile } from './discord-api.ts'
import { isMet, userHasVerified } from '../email/address-conditions.ts'
import { giveAddress, findDiscordAccount } from './discord-account.ts'
import { type DiscordLogin, createAccount, linkAccount, type Linking, refreshLinked } from './link-account.ts'
import { takeOAuthRequest, type OAuthRequest, verifierOf } from './oauth-state.ts'
import { keepSignUp } from './waiting-sign-up.ts'
import { connectionsPath, inactivePath, discordSignUpPath } from '../paths.ts'
import { LOGIN_SECONDS } from '../durations.ts'

/** Where a user who logged in with Discord is greeted. */
export const successPage = '/classcords/login-success/'

interface DiscordReturn {
  request: OAuthRequest
  login: DiscordLogin
  admit: Admit
}

/** Why this browser went to Discord, once. */
export async function takeReturned(c: SiteContext): Promise<OAuthRequest | null> {
  const browser = readCookie(c, 'oauth')
  return browser === undefined ? null : takeOAuthRequest(c.env, browser, c.req.query('state') ?? '', Date.now())
}

/** Returns where to redirect to, or the response to the form that waited. @throws DiscordFailure */
export async function answerCallback(
  c: SiteContext,
  request: OAuthRequest | null,
  admit: Admit,
): Promise<string | Response> {
  const { state = '', code = '', error } = c.req.query()
  if (error !== undefined) throw new DiscordFailure(`authorize: ${error.slice(0, 100)}`)
  if (!request) throw new DiscordFailure('callback: no such state in this browser')
  if (code === '') throw new DiscordFailure('callback: no code')
  const now = Date.now()
  const tokens = await exchangeCode(c.env, { code, verifier: await verifierOf(c.env, state) }, now)
  const login: DiscordLogin = { profile: await fetchProfile(c.env, tokens), tokens }
  const answers = { login: logIn, connect, redirect: confirmIdentity }
  return answers[request.process](c, { request, login, admit })
}

async function logIn(c: SiteContext, returned: DiscordReturn): Promise<string> {
  const { login } = returned
  const { owner, isDisabled } = await findDiscordAccount(c.env, login.profile.discordId)
  const user = c.get('user')
  if (user && owner !== user.id) {
    if (owner !== null) flash(c, 'error', 'This Discord account is already linked to another user.')
    return connectionsPath
  }
  if (owner !== null) {
    const known = await refreshLinked(c.env, login, Date.now())
    if (known) return logInKnown(c, returned, known)
  }
  // The Discord account was disabled and then disconnected: it gives access to no account, old or new.
  if (owner === null && isDisabled) return inactivePath
  return logInNew(c, returned)
}

/** The success page greets the user itself; any other page shows a message with the name that Discord shows. */
export function finishLogIn(c: SiteContext, user: LoginUser, login: DiscordLogin, next: string): Promise<string> {
  const isGreetedThere = next === '' || next === successPage
  return logInUser(c, user, {
    method: 'discord',
    remember: true,
    to: next || successPage,
    greeting: isGreetedThere ? null : `Successfully signed in as ${login.profile.displayName}.`,
  })
}

/** Whether a Discord account that is new here is admitted. If not, a message says why. */
async function isAdmitted(c: SiteContext, { request, login, admit }: DiscordReturn): Promise<boolean> {
  const guildIds = () => fetchGuildIds(c.env, login.tokens)
  const admission = await admit(c.env, { discordId: login.profile.discordId, referral: request.referral, guildIds })
  if (!admission.admitted) flash(c, 'error', refusalOf(admission), admission.trusted)
  return admission.admitted
}

async function logInNew(c: SiteContext, returned: DiscordReturn): Promise<string> {
  const { request, login } = returned
  if (!(await isAdmitted(c, returned))) return withNext('/classcords/login/', request.next)
  const { email, isVerified } = login.profile
  if (isVerified && email !== null) {
    const added = await createAccount(c.env, login, { address: email, isVerified: true }, Date.now())
    if (added.ok) return finishLogIn(c, added.user, login, request.next)
    // In the meantime, another callback of the same person linked the Discord account, or someone disabled it.
    if (added.reason !== 'address_taken') return logIn(c, returned)
  }
  return askForAddress(c, returned)
}

/** People who never confirmed their address get the one that Discord has since verified, or can enter another. */
async function logInKnown(c: SiteContext, returned: DiscordReturn, known: LoginUser): Promise<string> {
  const { request, login } = returned
  const { email, isVerified } = login.profile
  const isComplete =
    !known.is_active ||
    (await isMet(c.env, userHasVerified(known.id))) ||
    (isVerified && email !== null && (await giveAddress(c.env, known.id, { address: email, isVerified }, Date.now())))
  return isComplete ? finishLogIn(c, known, login, request.next) : askForAddress(c, returned)
}

async function askForAddress(c: SiteContext, { request, login }: DiscordReturn): Promise<string> {
  const token = await keepSignUp(c.env, { login, next: request.next }, Date.now())
  writeCookie(c, 'sign_up', token, LOGIN_SECONDS)
  return discordSignUpPath
}

/** The user who started this, who must still be logged in: the browser may have changed users in between. */
function starterOf(c: SiteContext, request: OAuthRequest): number {
  const user = c.get('user')
  if (!user || user.id !== request.userId) throw new DiscordFailure('callback: started by another user')
  return user.id
}

const refusals: Record<Exclude<Linking, 'linked' | 'logged_out'>, string> = {
  owned: 'The third-party account is already connected to a different account.',
  another: 'Another Discord account is already connected. Remove it first.',
  disabled: 'This Discord account was disabled here, so it cannot be connected.',
}

/** A Discord account that is new here must be admitted like a new user, because it makes its owner a member. */
async function connect(c: SiteContext, returned: DiscordReturn): Promise<string> {
  const { request, login } = returned
  const userId = starterOf(c, request)
  const now = Date.now()
  const { isKnown } = await findDiscordAccount(c.env, login.profile.discordId)
  // Checked first, so that no referral is used up by an account that cannot be linked.
  const hasAnother = !isKnown && (await findConnection(c.env, userId)) !== null
  if (!isKnown && !hasAnother && !(await isAdmitted(c, returned))) return connectionsPath
  const { displayName, username } = login.profile
  const detail = `Discord account: ${withoutLinks(`${displayName} (${username})`)}.`
  const notice = await prepareNotice(c, { kind: 'account_connected', userId, detail }, now)
  const linking = hasAnother ? 'another' : await linkAccount(c.env, ownerOf(c), login, now, notice.statements)
  if (linking === 'logged_out') {
    c.set('user', null)
    throw new DiscordFailure('callback: the session was ended')
  }
  if (linking !== 'linked') {
    flash(c, 'error', refusals[linking])
    return request.next || connectionsPath
  }
  notice.send()
  flash(c, 'success', 'The third-party account has been connected.')
  return request.next || connectionsPath
}

/** A logged-in user confirms their identity with Discord: without a password there is no other way. */
async function confirmIdentity(c: SiteContext, { request, login }: DiscordReturn): Promise<string | Response> {
  const userId = starterOf(c, request)
  const { owner, isDisabled } = await findDiscordAccount(c.env, login.profile.discordId)
  if (owner !== userId || isDisabled) {
    const why =
      owner === userId
        ? 'This Discord account was disabled here, so it cannot confirm access.'
        : 'That is not the Discord account that is connected here.'
    flash(c, 'error', why)
    return connectionsPath
  }
  return continueFromDiscord(c, request.next || connectionsPath)
}
