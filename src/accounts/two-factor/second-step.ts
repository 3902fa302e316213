import { and, eq, gt, lte, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { into, type Query, query, readFirst, refuseUnless, statement, writeTogether } from '../../db/query.ts'
import { secondStep, twoFactor, user } from '../../db/schema/index.ts'
import { hashOf, randomToken, signatureOf } from '../../web/security/signing.ts'
import { canUseDiscord } from '../discord/discord-account.ts'
import { userHasVerifiedAs } from '../email/address-conditions.ts'
import { loginUserFields, type LoginUser } from '../find-user.ts'
import type { ProvenAccount } from '../known-browser.ts'
import { SECOND_PRESS_MS, LOGIN_SECONDS } from '../durations.ts'
import { plainCode } from './totp.ts'

const LoginOptions = z.object({
  method: z.enum(['password', 'code', 'discord']),
  /** Where the code was mailed. */
  address: z.exactOptional(z.string()),
  /** Whether the browser should still be logged in after it was closed. */
  remember: z.boolean(),
  /** Where to go: a checked path of this site. */
  to: z.string(),
  /** The message afterwards; default: `Successfully signed in as …`; null for none. */
  greeting: z.exactOptional(z.nullable(z.string())),
})
export type LoginOptions = z.infer<typeof LoginOptions>

/**
 * Keeps the login of a user who still has to give a code. Returns the cookie that finds it; null when the password was
 * changed or two-factor authentication was turned off in the meantime.
 */
export async function keepSecondStep(
  env: Env,
  { id, password_hash }: ProvenAccount,
  options: LoginOptions,
  now: number,
): Promise<string | null> {
  const token = randomToken()
  const { idHash, userId, createdAt, expiresAt } = secondStep
  const [, kept] = await writeTogether(env.DB, [
    query.delete(secondStep).where(lte(secondStep.expiresAt, now)),
    // A password change ends all waiting logins, so none may be added with the old password.
    statement(sql`INSERT INTO ${into(secondStep, idHash, userId, secondStep.options, createdAt, expiresAt)}
      SELECT ${await hashOf(token)}, ${user.id}, ${JSON.stringify(options)}, ${now}, ${now + LOGIN_SECONDS * 1000}
      FROM ${user} JOIN ${twoFactor} ON ${twoFactor.userId} = ${user.id} WHERE ${user.id} = ${id} AND ${user.passwordHash} IS ${password_hash}`),
  ])
  return kept.changes === 1 ? token : null
}

export interface WaitingStep {
  user: LoginUser
  options: LoginOptions
  /** The signature of the code that completed it within the last minute; null while it waits. */
  passedWith: string | null
}

const mailedTo = sql`json_extract(${secondStep.options}, '$.address')`

/** A login with Discord ends when that account is disabled or disconnected, one with a code when its address is removed. */
const isStillAllowed = sql`(json_extract(${secondStep.options}, '$.method') <> 'discord'
  OR ${canUseDiscord(secondStep.userId)}) AND (${mailedTo} IS NULL OR ${userHasVerifiedAs(secondStep.userId, mailedTo)})`

const StoredStep = z.extend(LoginOptions, { passed_with: z.exactOptional(z.string()) })

export async function findSecondStep(env: Env, token: string, now: number): Promise<WaitingStep | null> {
  const row = await readFirst(
    env.DB,
    query
      .select({ ...loginUserFields, options: secondStep.options })
      .from(secondStep)
      .innerJoin(user, eq(user.id, secondStep.userId))
      .where(and(eq(secondStep.idHash, await hashOf(token)), gt(secondStep.expiresAt, now), isStillAllowed)),
  )
  if (!row) return null
  const { options: stored, ...found } = row
  const { passed_with: passedWith = null, ...options } = StoredStep.parse(JSON.parse(stored))
  return { user: found, options, passedWith }
}

/** Keyed, because a short code could be guessed from a plain hash; bound to the browser. */
export const codeSignature = (env: Env, token: string, code: string): Promise<string> =>
  signatureOf(env, 'second-step', `${token}:${plainCode(code)}`)

/**
 * Statements that complete it, for the batch that uses the code up; refused when it is gone. It is kept for a minute, so
 * that a second press with the same code is answered like the first: the browser may show only its answer.
 */
export async function passSecondStep(env: Env, token: string, code: string, now: number): Promise<Query[]> {
  const passed = sql`json_set(${secondStep.options}, '$.passed_with', ${await codeSignature(env, token, code)})`
  return [
    query
      .update(secondStep)
      .set({ options: passed, expiresAt: sql`min(${secondStep.expiresAt}, ${now + SECOND_PRESS_MS})` })
      .where(and(eq(secondStep.idHash, await hashOf(token)), isStillAllowed)),
    refuseUnless(sql`changes() = 1`, 'The login has ended.'),
  ]
}
