import { flash } from '../../web/flash.ts'
import { readCookie, writeCookie } from '../../web/cookies.ts'
import type { SiteContext } from '../../web/site.ts'
import type { SignInUser } from '../find-user.ts'
import { postNotice } from '../mails/post-notice.ts'
import { withoutLinks } from '../mails/without-links.ts'
import { goOnFromDiscord } from '../reauthenticate/routes.tsx'
import { signInUser } from '../sign-in-user.ts'
import { type Admit, refusalOf } from './admission.ts'
import { findConnection } from './connections.ts'
import { DiscordFailure, exchangeCode, fetchGuildIds, fetchProfile } from './discord-api.ts'
import { giveAddress, hasVerifiedAddress } from './give-address.ts'
import { type DiscordLogin, createAccount, linkAccount, type Linking, refreshLinked } from './link-account.ts'
import { takeOAuthRequest, type OAuthRequest, verifierOf } from './oauth-state.ts'
import { findDiscordAccount } from './discord-account.ts'
import { keepSignUp, signUpSeconds } from './waiting-sign-up.ts'

export const connections = '/accounts/3rdparty/'
/** The page that greets who has come through Discord. */
export const signInSuccess = '/classcords/login-success/'
export const inactive = '/accounts/inactive/'
const cancelled = '/accounts/3rdparty/login/cancelled/'

/** Where somebody goes who has come back from Discord, or the answer to the form that waited for it. @throws DiscordFailure for everything that is nobody's decision */
export async function comeBack(c: SiteContext, admit: Admit): Promise<string | Response> {
  const { state = '', code = '', error } = c.req.query()
  const browser = readCookie(c, 'oauth')
  const request = browser === undefined ? null : await takeOAuthRequest(c.env, browser, state, Date.now())
  if (error === 'access_denied') return cancelled
  if (error !== undefined) throw new DiscordFailure(`authorize: ${error.slice(0, 100)}`)
  if (!request) throw new DiscordFailure('callback: no such state in this browser')
  if (code === '') throw new DiscordFailure('callback: no code')
  const now = Date.now()
  const tokens = await exchangeCode(c.env, { code, verifier: await verifierOf(c.env, state) }, now)
  const login: DiscordLogin = { profile: await fetchProfile(c.env, tokens), tokens }
  if (request.process === 'connect') return connect(c, request, login, admit)
  if (request.process === 'redirect') return confirmPresence(c, request, login)
  return arrive(c, request, login, admit)
}

async function arrive(c: SiteContext, request: OAuthRequest, login: DiscordLogin, admit: Admit): Promise<string> {
  const { owner, isDisabled } = await findDiscordAccount(c.env, login.profile.discordId)
  const user = c.get('user')
  if (user && owner !== user.id) {
    if (owner !== null) flash(c, 'error', 'This Discord account is already linked to another user.')
    return connections
  }
  if (owner !== null) {
    const known = await refreshLinked(c.env, login, Date.now())
    if (known) return welcomeKnown(c, request, login, known)
  }
  // Disabled, and disconnected since: neither the account it was linked to nor a new one.
  if (owner === null && isDisabled) return inactive
  return welcomeNew(c, request, login, admit)
}

/** The page after a sign-in says who was greeted; anywhere else this does. */
export function signIn(c: SiteContext, user: SignInUser, next: string): Promise<string> {
  return signInUser(c, user, {
    method: 'discord',
    remember: true,
    to: next || signInSuccess,
    ...(next === '' || next === signInSuccess ? { greeting: null } : {}),
  })
}

/** Whether a Discord account that is new here is admitted. A refusal is flashed with its reason. */
async function passesGate(
  c: SiteContext,
  request: OAuthRequest,
  { profile, tokens }: DiscordLogin,
  admit: Admit,
): Promise<boolean> {
  const guildIds = () => fetchGuildIds(c.env, tokens)
  const admission = await admit(c.env, { discordId: profile.discordId, referral: request.referral, guildIds })
  if (!admission.admitted) flash(c, 'error', refusalOf(admission.reason))
  return admission.admitted
}

async function welcomeNew(c: SiteContext, request: OAuthRequest, login: DiscordLogin, admit: Admit): Promise<string> {
  if (!(await passesGate(c, request, login, admit))) return '/classcords/login/'
  const { profile } = login
  const { email } = profile
  if (profile.isVerified && email !== null) {
    const added = await createAccount(c.env, login, { address: email, isVerified: true }, Date.now())
    if (added.ok) return signIn(c, added.user, request.next)
    // Another callback of the same person was first, or somebody disabled it.
    if (added.reason !== 'address_taken') return arrive(c, request, login, admit)
  }
  return askForAddress(c, request, login)
}

/** Of those who gave an address and never confirmed it, Discord may vouch for one by now; else they can give another. */
async function welcomeKnown(
  c: SiteContext,
  request: OAuthRequest,
  login: DiscordLogin,
  known: SignInUser,
): Promise<string> {
  const { email, isVerified } = login.profile
  const isComplete =
    !known.is_active ||
    (await hasVerifiedAddress(c.env, known.id)) ||
    (isVerified && email !== null && (await giveAddress(c.env, known.id, { address: email, isVerified }, Date.now())))
  return isComplete ? signIn(c, known, request.next) : askForAddress(c, request, login)
}

async function askForAddress(c: SiteContext, request: OAuthRequest, login: DiscordLogin): Promise<string> {
  const token = await keepSignUp(c.env, { login, next: request.next }, Date.now())
  writeCookie(c, 'sign_up', token, signUpSeconds)
  return '/accounts/3rdparty/signup/'
}

/** Only for who began it: the browser may have been signed in as somebody else meanwhile. */
function beginner(c: SiteContext, request: OAuthRequest): number {
  const user = c.get('user')
  if (!user || user.id !== request.userId) throw new DiscordFailure('callback: begun by another user')
  return user.id
}

const refusals: Record<Exclude<Linking, 'linked'>, string> = {
  owned: 'The third-party account is already connected to a different account.',
  another: 'Another Discord account is already connected. Remove it first.',
  disabled: 'This Discord account was disabled here, so it cannot be connected.',
}

/** A Discord account that is new here passes the same gate as a new user: it is what makes somebody a member. */
async function connect(c: SiteContext, request: OAuthRequest, login: DiscordLogin, admit: Admit): Promise<string> {
  const userId = beginner(c, request)
  const now = Date.now()
  const { isKnown } = await findDiscordAccount(c.env, login.profile.discordId)
  // What cannot be linked anyway uses no referral up.
  const isBound = !isKnown && (await findConnection(c.env, userId)) !== null
  if (!isKnown && !isBound && !(await passesGate(c, request, login, admit))) return connections
  const linking = isBound ? 'another' : await linkAccount(c.env, userId, login, now)
  if (linking !== 'linked') {
    flash(c, 'error', refusals[linking])
    return request.next || connections
  }
  const { displayName, username } = login.profile
  const detail = `Discord account: ${withoutLinks(`${displayName} (${username})`)}.`
  await postNotice(c, { kind: 'account_connected', userId, detail }, now)
  flash(c, 'success', 'The third-party account has been connected.')
  return request.next || connections
}

/** Somebody signed in shows through Discord that it is still them: the only way without a password. */
async function confirmPresence(c: SiteContext, request: OAuthRequest, login: DiscordLogin): Promise<string | Response> {
  const userId = beginner(c, request)
  const { owner } = await findDiscordAccount(c.env, login.profile.discordId)
  if (owner !== userId) {
    flash(c, 'error', 'That is not the Discord account that is connected here.')
    return connections
  }
  return goOnFromDiscord(c, request.next || connections)
}
