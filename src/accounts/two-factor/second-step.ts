import { and, eq, gt, lte, sql } from 'drizzle-orm'
import * as z from 'zod'
import { into, query, readFirst, statement, write, writeTogether } from '../../db/query.ts'
import { secondStep, user } from '../../db/schema/index.ts'
import { hashOf, randomToken } from '../../web/signing.ts'
import { signInFields } from '../find-user.ts'
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
  const { idHash, userId, createdAt, expiresAt } = secondStep
  await writeTogether(env.DB, [
    query.delete(secondStep).where(lte(secondStep.expiresAt, now)),
    // A password change ends all waiting steps, so none may be added with the old password.
    statement(sql`INSERT INTO ${into(secondStep, idHash, userId, secondStep.way, createdAt, expiresAt)}
      SELECT ${await hashOf(token)}, ${user.id}, ${JSON.stringify(way)}, ${now}, ${now + stepSeconds * 1000}
      FROM ${user} WHERE ${user.id} = ${id} AND ${user.passwordHash} IS ${password_hash}`),
  ])
  return token
}

export interface WaitingStep {
  arrival: Arrival
  way: Way
}

export async function findSecondStep(env: Env, token: string, now: number): Promise<WaitingStep | null> {
  const row = await readFirst(
    env.DB,
    query
      .select({ ...signInFields, way: secondStep.way })
      .from(secondStep)
      .innerJoin(user, eq(user.id, secondStep.userId))
      .where(and(eq(secondStep.idHash, await hashOf(token)), gt(secondStep.expiresAt, now))),
  )
  if (!row) return null
  const { way, ...arrival } = row
  return { arrival, way: StoredWay.parse(JSON.parse(way)) }
}

/** Whether it was there to be ended: of two requests at once, one goes on. */
export async function endSecondStep(env: Env, token: string): Promise<boolean> {
  const { changes } = await write(env.DB, query.delete(secondStep).where(eq(secondStep.idHash, await hashOf(token))))
  return changes > 0
}
