import { and, desc, eq, gt, lte, notInArray, sql } from 'drizzle-orm'
import { query, readFirst, writeTogether } from '../../db/query.ts'
import { oauthState } from '../../db/schema/index.ts'
import { idUnlessDeleted } from '../find-user.ts'
import { hashOf, signatureOf, randomToken } from '../../web/security/signing.ts'

/** Why a user goes to Discord: to log in, to connect their account, or to confirm who they are. */
export const processes = ['login', 'connect', 'redirect'] as const
export type Process = (typeof processes)[number]

export interface OAuthRequest {
  process: Process
  /** A checked path of this site; '' for the usual place. */
  next: string
  referral: string
  /** Who was logged in when it started. */
  userId: number | null
}

/** How long a browser may stay at Discord. */
export const AWAY_SECONDS = 600
/** How many requests of one browser may wait at the same time; the oldest are dropped. django-allauth's number. */
const MAX_PENDING = 10

/** Stores why a browser goes to Discord. Returns the `state` to send along, which is stored only as a hash. */
export async function startOAuth(env: Env, browser: string, request: OAuthRequest, now: number): Promise<string> {
  const state = randomToken()
  const browserHash = await hashOf(browser)
  const isOfBrowser = eq(oauthState.browserHash, browserHash)
  const newest = query
    .select({ stateHash: oauthState.stateHash })
    .from(oauthState)
    .where(isOfBrowser)
    .orderBy(desc(oauthState.createdAt), sql`rowid DESC`)
    .limit(MAX_PENDING - 1)
  await writeTogether(env.DB, [
    query.delete(oauthState).where(lte(oauthState.expiresAt, now)),
    query.delete(oauthState).where(and(isOfBrowser, notInArray(oauthState.stateHash, newest))),
    query.insert(oauthState).values({
      ...request,
      userId: idUnlessDeleted(request.userId),
      stateHash: await hashOf(state),
      browserHash,
      createdAt: now,
      expiresAt: now + AWAY_SECONDS * 1000,
    }),
  ])
  return state
}

/** Once, and only for the browser that started it; trying a stolen `state` elsewhere does not use it up. */
export async function takeOAuthRequest(
  env: Env,
  browser: string,
  state: string,
  now: number,
): Promise<OAuthRequest | null> {
  const { stateHash, browserHash, expiresAt, next, referral, userId } = oauthState
  const isOwn = and(eq(stateHash, await hashOf(state)), eq(browserHash, await hashOf(browser)), gt(expiresAt, now))
  const fields = { process: oauthState.process, next, referral, userId }
  const row = await readFirst(env.DB, query.delete(oauthState).where(isOwn).returning(fields))
  const process = processes.find((known) => known === row?.process)
  return row && process ? { ...row, process } : null
}

/** The PKCE verifier of a state, 43 characters: made with our secret, so that it need not be stored. */
export async function verifierOf(env: Env, state: string): Promise<string> {
  return signatureOf(env, 'discord-pkce', state)
}
