import { hashOf, signatureOf, randomToken } from '../../web/signing.ts'

/** What somebody went to Discord for: to sign in, to link their account, or to show that it is still them. */
export const processes = ['login', 'connect', 'redirect'] as const
export type Process = (typeof processes)[number]

export interface Errand {
  process: Process
  /** A checked path of this site; '' for the usual place. */
  next: string
  referral: string
  /** Who was signed in when it began. */
  userId: number | null
}

const lifetimeMs = 10 * 60_000
/** Of one browser; the oldest gives way. django-allauth's number. */
const mostPending = 10

/**
 * Remembers what a browser goes to Discord for. Answers the `state` it takes along, which is stored only as a hash.
 * @param browser the browser's cookie @param now ms since epoch
 */
export async function beginErrand(env: Env, browser: string, errand: Errand, now: number): Promise<string> {
  const state = randomToken()
  const browserHash = await hashOf(browser)
  await env.DB.batch([
    env.DB.prepare('DELETE FROM oauth_state WHERE expires_at <= ?').bind(now),
    env.DB.prepare(
      `DELETE FROM oauth_state WHERE browser_hash = ?1 AND state_hash NOT IN (
         SELECT state_hash FROM oauth_state WHERE browser_hash = ?1 ORDER BY created_at DESC, rowid DESC LIMIT ?2)`,
    ).bind(browserHash, mostPending - 1),
    env.DB.prepare(
      `INSERT INTO oauth_state (state_hash, browser_hash, process, next, referral, user_id, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).bind(
      await hashOf(state),
      browserHash,
      errand.process,
      errand.next,
      errand.referral,
      errand.userId,
      now,
      now + lifetimeMs,
    ),
  ])
  return state
}

/**
 * Takes the errand of a `state`, once, and only for the browser that began it: a state that was stolen or planted is worth
 * nothing elsewhere, and trying it elsewhere does not use it up.
 */
export async function claimErrand(env: Env, browser: string, state: string, now: number): Promise<Errand | null> {
  const row = await env.DB.prepare(
    `DELETE FROM oauth_state WHERE state_hash = ? AND browser_hash = ? AND expires_at > ?
     RETURNING process, next, referral, user_id`,
  )
    .bind(await hashOf(state), await hashOf(browser), now)
    .first<{ process: string; next: string; referral: string; user_id: number | null }>()
  const process = processes.find((known) => known === row?.process)
  return row && process ? { process, next: row.next, referral: row.referral, userId: row.user_id } : null
}

/** The PKCE verifier that belongs to a state: made from it with our secret, so that it need not be stored. 43 characters. */
export async function verifierOf(env: Env, state: string): Promise<string> {
  return signatureOf(env, 'discord-pkce', state)
}
