import * as z from 'zod'
import { hashOf, randomToken } from '../../web/signing.ts'
import type { ProvenAccount } from '../known-browser.ts'
import type { Arrival, Way } from '../sign-in-user.ts'
import { hasTwoFactor } from './second-factor.ts'

/** django-allauth's limit for a whole log-in of several steps. */
export const stepSeconds = 900

const StoredWay = z.object({
  method: z.enum(['password', 'code', 'discord']),
  remember: z.boolean(),
  to: z.string(),
  greeting: z.string().nullable().exactOptional(),
})

/**
 * Keeps somebody who has shown everything else until they have given a code. Answers the cookie by which the browser is known, or
 * null when they have no second factor. @param now ms since epoch
 */
export async function keepSecondStep(
  env: Env,
  { id, password_hash }: ProvenAccount,
  way: Way,
  now: number,
): Promise<string | null> {
  if (!(await hasTwoFactor(env, id))) return null
  const token = randomToken()
  await env.DB.batch([
    env.DB.prepare('DELETE FROM second_step WHERE expires_at <= ?').bind(now),
    env.DB.prepare(
      // A password change ends all waiting steps, so none may be added with the old password.
      `INSERT INTO second_step (id_hash, user_id, way, created_at, expires_at)
       SELECT ?, id, ?, ?, ? FROM user WHERE id = ? AND password_hash IS ?`,
    ).bind(await hashOf(token), JSON.stringify(way), now, now + stepSeconds * 1000, id, password_hash),
  ])
  return token
}

export interface WaitingStep {
  arrival: Arrival
  way: Way
}

export async function findSecondStep(env: Env, token: string, now: number): Promise<WaitingStep | null> {
  const row = await env.DB.prepare(
    `SELECT user.id, username, is_active, password_hash, user.created_at, way FROM second_step JOIN user ON user.id = second_step.user_id
     WHERE id_hash = ? AND expires_at > ?`,
  )
    .bind(await hashOf(token), now)
    .first<Arrival & { way: string }>()
  if (!row) return null
  const { way, ...arrival } = row
  return { arrival, way: StoredWay.parse(JSON.parse(way)) }
}

/** Whether it was there to be ended: of two requests at once, one goes on. */
export async function endSecondStep(env: Env, token: string): Promise<boolean> {
  const { meta } = await env.DB.prepare('DELETE FROM second_step WHERE id_hash = ?')
    .bind(await hashOf(token))
    .run()
  return meta.changes > 0
}
