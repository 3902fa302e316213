import { keepLookUp } from '../discord/cached-look-up.ts'
import type { GuildInvite } from '../discord/invite-answer.ts'
import type { LookedUp } from '../discord/look-up-invite.ts'
import { randomToken } from '../../web/signing.ts'
import { type NewNotice, tellManagers, tellSubmitter } from '../notices/notice-statements.ts'
import { afterFailure, dayMs } from './next-check.ts'

/** An invite as the health job reads it. `guild_id` is the server it was submitted for. */
export interface CheckedInvite {
  id: number
  code: string
  state: string
  is_valid: number
  guild_id: string
  failures: number
  first_failed_at: number | null
  checked_at: number | null
  quarantined_at: number | null
}

export type Verdict = 'alive' | 'failed' | 'dead' | 'expired' | 'quarantined' | 'unsure'

/**
 * Writes down what a check found; a check that said nothing changes nothing but when to ask again. Every statement depends on the
 * invite being as it was read, so that two checks at once count once.
 */
export async function recordCheck(
  db: D1Database,
  invite: CheckedInvite,
  looked: LookedUp,
  now: number,
): Promise<Verdict> {
  if (looked.kind === 'unsure') {
    await db
      .prepare('UPDATE invite SET due_at = ?2 WHERE id = ?1')
      .bind(invite.id, now + 3600_000)
      .run()
    return 'unsure'
  }
  const key = randomToken()
  if (looked.kind === 'guild' && looked.invite.guild_id === invite.guild_id) {
    await db.batch([
      ...restore(db, invite, key, now),
      refreshServer(db, key, looked.invite),
      keepLookUp(db, invite.code, looked, now),
    ])
    return 'alive'
  }
  if (looked.kind !== 'dead') {
    await db.batch(quarantine(db, invite, key, now))
    return 'quarantined'
  }
  const after = afterFailure(invite, now)
  const isFallen = after.is_dead && invite.is_valid === 1
  const isExpired = isFallen && invite.state === 'pending'
  await db.batch([
    db
      .prepare(
        `UPDATE invite SET failures = ?3, first_failed_at = ?4, checked_at = ?5, due_at = ?6, decision_key = ?7,
           is_valid = is_valid AND NOT ?8, state = iif(?9, 'expired', state), decided_at = iif(?9, ?5, decided_at)
         WHERE id = ?1 AND checked_at IS ?2 AND state IN ('pending', 'approved')`,
      )
      .bind(
        invite.id,
        invite.checked_at,
        after.failures,
        after.first_failed_at,
        now,
        after.due_at,
        key,
        after.is_dead ? 1 : 0,
        isExpired ? 1 : 0,
      ),
    keepLookUp(db, invite.code, looked, now),
    ...(isFallen
      ? told(
          db,
          key,
          now,
          {
            kind: isExpired ? 'expired' : 'invalid',
            title: isExpired ? 'Your pending invite has expired' : 'An invite no longer works',
            body: `discord.gg/${invite.code}`,
            url: '/classcords/profile/',
          },
          !isExpired,
        )
      : []),
  ])
  return isExpired ? 'expired' : after.is_dead ? 'dead' : 'failed'
}

function restore(db: D1Database, invite: CheckedInvite, key: string, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE invite SET is_valid = 1, failures = 0, first_failed_at = NULL, quarantined_at = NULL, checked_at = ?3, due_at = ?4,
           decision_key = ?5
         WHERE id = ?1 AND checked_at IS ?2 AND state IN ('pending', 'approved')`,
      )
      .bind(invite.id, invite.checked_at, now, now + dayMs, key),
    ...(invite.is_valid
      ? []
      : told(
          db,
          key,
          now,
          {
            kind: 'restored',
            title: 'An invite works again',
            body: `discord.gg/${invite.code}`,
            url: '/classcords/profile/',
          },
          invite.state === 'approved',
        )),
  ]
}

/** Whoever holds the link now is not who was approved. */
function quarantine(db: D1Database, invite: CheckedInvite, key: string, now: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE invite SET is_valid = 0, quarantined_at = COALESCE(quarantined_at, ?3), checked_at = ?3, due_at = ?4, decision_key = ?5
         WHERE id = ?1 AND checked_at IS ?2 AND state IN ('pending', 'approved')`,
      )
      .bind(invite.id, invite.checked_at, now, now + dayMs, key),
    ...(invite.quarantined_at !== null
      ? []
      : told(
          db,
          key,
          now,
          {
            kind: 'quarantined',
            title: 'An invite leads somewhere else now',
            body: `discord.gg/${invite.code}`,
            url: '/classcords/profile/',
          },
          true,
        )),
  ]
}

function told(
  db: D1Database,
  key: string,
  now: number,
  notice: NewNotice,
  withManagers: boolean,
): D1PreparedStatement[] {
  const forManagers = { ...notice, url: '' }
  return [tellSubmitter(db, key, notice, now), ...(withManagers ? [tellManagers(db, key, forManagers, now)] : [])]
}

/** Name, picture and counts as they are now. A figure Discord left out stays as it was. */
function refreshServer(db: D1Database, key: string, found: GuildInvite): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE discord_server SET name = ?2, icon = ?3, member_count = COALESCE(?4, member_count), online_count = COALESCE(?5, online_count)
       WHERE id = (SELECT server_id FROM invite WHERE decision_key = ?1)`,
    )
    .bind(key, found.name, found.icon, found.member_count, found.online_count)
}
