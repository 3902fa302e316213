import { eq, sql } from 'drizzle-orm'
import { names, query, readFirst, write } from '../../db/query.ts'
import { inviteLookup } from '../../db/schema/index.ts'
import { GuildInvite } from './invite-answer.ts'
import { discordTools, type DiscordTools, type LookedUp, lookUpInvite } from './look-up-invite.ts'

const guildMs = 5 * 60_000
/** Somebody who has just made an invite should not be told for long that there is none. */
const deadMs = 30_000

/** {@link lookUpInvite} that asks Discord once in five minutes, however popular the code is. What Discord did not say is not kept. */
export async function lookUpCached(
  env: Env,
  code: string,
  now: number,
  tools: DiscordTools = discordTools,
): Promise<LookedUp> {
  const { answer, fetchedAt } = inviteLookup
  const kept = await readFirst(
    env.DB,
    query.select({ answer, fetched_at: fetchedAt }).from(inviteLookup).where(eq(inviteLookup.code, code)),
  )
  if (kept && kept.answer !== null && kept.fetched_at > now - guildMs)
    return { kind: 'guild', invite: GuildInvite.parse(JSON.parse(kept.answer)) }
  if (kept && kept.answer === null && kept.fetched_at > now - deadMs) return { kind: 'dead' }
  const looked = await lookUpInvite(env, code, tools)
  if (looked.kind === 'guild' || looked.kind === 'dead') await write(env.DB, keepLookUp(code, looked, now))
  return looked
}

/** Remembers an answer. */
export function keepLookUp(code: string, looked: Extract<LookedUp, { kind: 'guild' | 'dead' }>, now: number) {
  const { answer, fetchedAt } = inviteLookup
  return query
    .insert(inviteLookup)
    .values({ code, answer: looked.kind === 'guild' ? JSON.stringify(looked.invite) : null, fetchedAt: now })
    .onConflictDoUpdate({
      target: inviteLookup.code,
      set: { answer: sql`excluded.${names(answer)}`, fetchedAt: sql`excluded.${names(fetchedAt)}` },
    })
}
