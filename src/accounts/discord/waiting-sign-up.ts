import * as z from 'zod'
import { decrypt, encrypt } from '../../web/encryption.ts'
import { hashOf, randomToken } from '../../web/signing.ts'
import type { Comer } from './link-account.ts'

/** django-allauth's limit for a whole log-in of several steps. */
export const signUpSeconds = 900
const purpose = 'discord-sign-up'

const StoredComer: z.ZodType<Comer> = z.object({
  profile: z.object({
    discordId: z.string(),
    username: z.string(),
    discriminator: z.string(),
    displayName: z.string(),
    avatar: z.string().nullable(),
    email: z.string().nullable(),
    isVerified: z.boolean(),
  }),
  tokens: z.object({ access_token: z.string(), refresh_token: z.string().nullable(), expires_at: z.number() }),
})

export interface WaitingSignUp {
  comer: Comer
  next: string
}

/** Keeps somebody who was admitted until they have given an address. Answers the cookie by which they are known again. */
export async function keepSignUp(env: Env, { comer, next }: WaitingSignUp, now: number): Promise<string> {
  const token = randomToken()
  await env.DB.batch([
    env.DB.prepare('DELETE FROM discord_sign_up WHERE expires_at <= ?').bind(now),
    env.DB.prepare(
      'INSERT INTO discord_sign_up (id_hash, sealed_arrival, next, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    ).bind(
      await hashOf(token),
      await encrypt(env, purpose, JSON.stringify(comer)),
      next,
      now,
      now + signUpSeconds * 1000,
    ),
  ])
  return token
}

export async function findSignUp(env: Env, token: string, now: number): Promise<WaitingSignUp | null> {
  const row = await env.DB.prepare(
    'SELECT sealed_arrival, next FROM discord_sign_up WHERE id_hash = ? AND expires_at > ?',
  )
    .bind(await hashOf(token), now)
    .first<{ sealed_arrival: string; next: string }>()
  const text = row ? await decrypt(env, purpose, row.sealed_arrival) : null
  return row && text !== null ? { comer: StoredComer.parse(JSON.parse(text)), next: row.next } : null
}

/** Whether it was there to be ended: of two requests at once, one goes on. */
export async function endSignUp(env: Env, token: string): Promise<boolean> {
  const { meta } = await env.DB.prepare('DELETE FROM discord_sign_up WHERE id_hash = ?')
    .bind(await hashOf(token))
    .run()
  return meta.changes > 0
}
