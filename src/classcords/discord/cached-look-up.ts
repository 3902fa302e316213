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
  const kept = await env.DB.prepare('SELECT answer, fetched_at FROM invite_lookup WHERE code = ?')
    .bind(code)
    .first<{ answer: string | null; fetched_at: number }>()
  if (kept && kept.answer !== null && kept.fetched_at > now - guildMs)
    return { kind: 'guild', invite: GuildInvite.parse(JSON.parse(kept.answer)) }
  if (kept && kept.answer === null && kept.fetched_at > now - deadMs) return { kind: 'dead' }
  const looked = await lookUpInvite(env, code, tools)
  if (looked.kind === 'guild' || looked.kind === 'dead') await keepLookUp(env.DB, code, looked, now).run()
  return looked
}

/** Remembers an answer. */
export function keepLookUp(
  db: D1Database,
  code: string,
  looked: Extract<LookedUp, { kind: 'guild' | 'dead' }>,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO invite_lookup (code, answer, fetched_at) VALUES (?, ?, ?)
       ON CONFLICT (code) DO UPDATE SET answer = excluded.answer, fetched_at = excluded.fetched_at`,
    )
    .bind(code, looked.kind === 'guild' ? JSON.stringify(looked.invite) : null, now)
}
