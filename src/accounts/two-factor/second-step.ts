import { and, eq, gt, lte, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { into, query, readFirst, statement, write, writeTogether } from '../../db/query.ts'
import { secondStep, user } from '../../db/schema/index.ts'
import { hashOf, randomToken } from '../../web/security/signing.ts'
import { loginUserFields, type LoginUser } from '../find-user.ts'
import type { ProvenAccount } from '../known-browser.ts'

/** django-allauth's limit for a login of several steps. */
export const STEP_SECONDS = 900

const LoginOptions = z.object({
  method: z.enum(['password', 'code', 'discord']),
  /** Whether the browser should still be logged in after it was closed. */
  remember: z.boolean(),
  /** Where to go: a checked path of this site. */
  to: z.string(),
  /** The message afterwards; default: `Successfully signed in as …`; null for none. */
  greeting: z.exactOptional(z.nullable(z.string())),
})
export type LoginOptions = z.infer<typeof LoginOptions>

/** Keeps the login of a user who still has to give a code. Returns the cookie that finds it. */
export async function keepSecondStep(
  env: Env,
  { id, password_hash }: ProvenAccount,
  options: LoginOptions,
  now: number,
): Promise<string> {
  const token = randomToken()
  const { idHash, userId, createdAt, expiresAt } = secondStep
  await writeTogether(env.DB, [
    query.delete(secondStep).where(lte(secondStep.expiresAt, now)),
    // A password change ends all waiting logins, so none may be added with the old password.
    statement(sql`INSERT INTO ${into(secondStep, idHash, userId, secondStep.options, createdAt, expiresAt)}
      SELECT ${await hashOf(token)}, ${user.id}, ${JSON.stringify(options)}, ${now}, ${now + STEP_SECONDS * 1000}
      FROM ${user} WHERE ${user.id} = ${id} AND ${user.passwordHash} IS ${password_hash}`),
  ])
  return token
}

export interface WaitingStep {
  user: LoginUser
  options: LoginOptions
}

export async function findSecondStep(env: Env, token: string, now: number): Promise<WaitingStep | null> {
  const row = await readFirst(
    env.DB,
    query
      .select({ ...loginUserFields, options: secondStep.options })
      .from(secondStep)
      .innerJoin(user, eq(user.id, secondStep.userId))
      .where(and(eq(secondStep.idHash, await hashOf(token)), gt(secondStep.expiresAt, now))),
  )
  if (!row) return null
  const { options, ...found } = row
  return { user: found, options: LoginOptions.parse(JSON.parse(options)) }
}

/** Whether it was still there: of two simultaneous requests, only one continues. */
export async function endSecondStep(env: Env, token: string): Promise<boolean> {
  const { changes } = await write(env.DB, query.delete(secondStep).where(eq(secondStep.idHash, await hashOf(token))))
  return changes > 0
}
