import { OAuth2Client, OAuth2Tokens, CodeChallengeMethod } from 'arctic'
import * as z from 'zod/mini'
import { orWarn } from '../../lib/fallbacks.ts'
import { parseJson } from '../../lib/text.ts'
import { API_VERSION, discordHeaders } from '../../notify/discord/api.ts'
import { ask } from '../../notify/http.ts'
import { siteAddress } from '../mails/links.ts'
import { type DiscordProfile, readProfile } from './profile.ts'

/** django-allauth's SOCIALACCOUNT_REQUESTS_TIMEOUT, for each request. */
const TIMEOUT_MS = 5000
const scopes = ['identify', 'email', 'guilds']
/** When Discord does not say how long a token lives. */
const DEFAULT_LIFETIME_SECONDS = 3600

/** Discord or the callback failed; `message` is for the log and holds no secret. */
export class DiscordFailure extends Error {}

/** `expires_at`: ms since epoch. */
export const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.nullable(z.string()),
  expires_at: z.number(),
})
export type Tokens = z.infer<typeof Tokens>

export const isConfigured = (env: Env): boolean => env.DISCORD_CLIENT_ID !== '' && Boolean(env.DISCORD_CLIENT_SECRET)

/** Taken from the configuration, because a request could name any host. */
const callbackAddress = (env: Env): string => siteAddress(env, '/accounts/discord/login/callback/')

/** `none` skips the question for a user who has agreed before, `consent` always asks. */
export function authorizationAddress(
  env: Env,
  asked: { state: string; verifier: string; prompt: 'none' | 'consent' },
): string {
  const client = new OAuth2Client(env.DISCORD_CLIENT_ID, null, callbackAddress(env))
  const endpoint = `${env.DISCORD_OAUTH_URL}/authorize`
  const { state, verifier, prompt } = asked
  const url = client.createAuthorizationURLWithPKCE(endpoint, state, CodeChallengeMethod.S256, verifier, scopes)
  url.searchParams.set('prompt', prompt)
  return url.href
}

/** Not with arctic, whose call has no time limit and reads a body of any length. @throws DiscordFailure */
export async function exchangeCode(
  env: Env,
  { code, verifier }: { code: string; verifier: string },
  now: number,
): Promise<Tokens> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: callbackAddress(env), code_verifier: verifier }
  return readTokens(await postForm(env, '/oauth2/token', form), now)
}

/** Revokes both tokens at Discord. A failure is only logged: they expire on their own. */
export async function revokeTokens(env: Env, { access_token: token }: Tokens): Promise<void> {
  const revoking = postForm(env, '/oauth2/token/revoke', { token, token_type_hint: 'access_token' })
  await orWarn(revoking, { event: 'discord_revoke_failed' }, null)
}

/** A user's profile. @throws DiscordFailure */
export async function fetchProfile(env: Env, tokens: Tokens): Promise<DiscordProfile> {
  const profile = readProfile(await get(env, '/users/@me', tokens))
  if (!profile) throw new DiscordFailure('/users/@me: not a user')
  return profile
}

const Guilds = z.array(z.object({ id: z.string() })).check(z.maxLength(1000))

/** One answer holds the 200 servers that Discord allows. @throws DiscordFailure */
export async function fetchGuildIds(env: Env, tokens: Tokens): Promise<string[]> {
  const guilds = Guilds.safeParse(await get(env, '/users/@me/guilds?limit=200', tokens))
  if (!guilds.success) throw new DiscordFailure('/users/@me/guilds: not a list of servers')
  return guilds.data.map(({ id }) => id)
}

function readTokens(answer: unknown, now: number): Tokens {
  if (typeof answer !== 'object' || answer === null) throw new DiscordFailure('/oauth2/token: not an object')
  const tokens = new OAuth2Tokens(answer)
  try {
    if (tokens.tokenType().toLowerCase() !== 'bearer') throw new DiscordFailure('/oauth2/token: not a bearer token')
    const seconds = 'expires_in' in answer ? tokens.accessTokenExpiresInSeconds() : DEFAULT_LIFETIME_SECONDS
    return {
      access_token: tokens.accessToken(),
      refresh_token: tokens.hasRefreshToken() ? tokens.refreshToken() : null,
      expires_at: now + seconds * 1000,
    }
  } catch (error) {
    throw error instanceof DiscordFailure ? error : new DiscordFailure(`/oauth2/token: ${String(error)}`)
  }
}

async function postForm(env: Env, path: string, form: Record<string, string>): Promise<unknown> {
  const basic = btoa(`${env.DISCORD_CLIENT_ID}:${env.DISCORD_CLIENT_SECRET ?? ''}`)
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  return answerOf(env, path, { method: 'POST', headers, body: new URLSearchParams(form).toString() })
}

async function get(env: Env, path: string, tokens: Tokens): Promise<unknown> {
  return answerOf(env, path, { method: 'GET', headers: { authorization: `Bearer ${tokens.access_token}` } })
}

async function answerOf(
  env: Env,
  path: string,
  { headers, ...init }: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<unknown> {
  const tools = { fetch, now: Date.now, timeoutMs: TIMEOUT_MS }
  const answer = await ask(tools, `${env.DISCORD_API_URL}${API_VERSION}${path}`, {
    ...init,
    headers: { accept: 'application/json', ...discordHeaders(env.APP_URL), ...headers },
  })
  if (answer.kind !== 'answer') throw new DiscordFailure(`${path}: ${answer.reason}`)
  if (answer.status !== 200) throw new DiscordFailure(`${path}: status ${answer.status}`)
  const body = parseJson(answer.text)
  if (body === undefined || body === null) throw new DiscordFailure(`${path}: not JSON`)
  return body
}
