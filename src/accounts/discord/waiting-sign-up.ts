import { and, eq, gt, lte, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { query, readFirst, write, writeTogether } from '../../db/query.ts'
import { discordSignUp } from '../../db/schema/index.ts'
import { decryptJson, encryptJson } from '../../web/security/encryption.ts'
import { hashOf, randomToken } from '../../web/security/signing.ts'
import { SECOND_PRESS_MS, LOGIN_SECONDS } from '../durations.ts'
import { Tokens } from './discord-api.ts'
import type { DiscordLogin } from './link-account.ts'
import { DiscordProfile } from './profile.ts'

const purpose = 'discord-sign-up'

const StoredLogin = z.object({ profile: DiscordProfile, tokens: Tokens })

export interface WaitingSignUp {
  login: DiscordLogin
  next: string
}

/** Keeps the login of a user who was admitted until they have given an address. Returns the cookie that finds it. */
export async function keepSignUp(env: Env, { login, next }: WaitingSignUp, now: number): Promise<string> {
  const token = randomToken()
  await writeTogether(env.DB, [
    query.delete(discordSignUp).where(lte(discordSignUp.expiresAt, now)),
    query.insert(discordSignUp).values({
      idHash: await hashOf(token),
      sealedLogin: await encryptJson(env, purpose, login),
      next,
      createdAt: now,
      expiresAt: now + LOGIN_SECONDS * 1000,
    }),
  ])
  return token
}

export async function findSignUp(env: Env, token: string, now: number): Promise<WaitingSignUp | null> {
  const { sealedLogin, next, idHash, expiresAt } = discordSignUp
  const isWaiting = and(eq(idHash, await hashOf(token)), gt(expiresAt, now))
  const row = await readFirst(env.DB, query.select({ sealedLogin, next }).from(discordSignUp).where(isWaiting))
  const login = row && (await decryptJson(env, purpose, row.sealedLogin, StoredLogin))
  return row && login && { login, next: row.next }
}

/**
 * Keeps it for a minute more, so that a second press in the same browser is answered like the first: the browser may
 * show only its answer. Carrying it out twice changes nothing.
 */
export async function endSignUp(env: Env, token: string, now: number): Promise<void> {
  const soon = sql`min(${discordSignUp.expiresAt}, ${now + SECOND_PRESS_MS})`
  const ending = query.update(discordSignUp).set({ expiresAt: soon })
  await write(env.DB, ending.where(eq(discordSignUp.idHash, await hashOf(token))))
}
