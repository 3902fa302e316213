import { insist } from '../../db/insist.ts'
import type { AdminChange, AdminPlan, AdminRemoval } from '../../web/admin-change.ts'
import { randomToken } from '../../web/signing.ts'
import { usesKeptMs } from '../health/tidy-directory.ts'
import { hourMs } from '../invites/track-usage.ts'

/** Counts as a click would have: once an hour a person, of approved invites alone. A trigger raises the invite's count. */
export async function addUsage({ DB }: Env, { values, now }: AdminChange): Promise<AdminPlan> {
  const { invite_id = null, user_id = null } = values
  const usedAt = Number(values['used_at'] ?? now)
  if (usedAt > now) return { faults: [{ field: 'used_at', message: 'This is yet to come.' }] }
  if (usedAt <= now - usesKeptMs) {
    return { faults: [{ field: 'used_at', message: 'Single uses are kept for 90 days: this one would not stay.' }] }
  }
  // Of a visitor nothing but that there was one is ever readable.
  const visitor = user_id === null ? randomToken() : `user:${user_id}`
  return {
    statements: [
      insist(
        DB,
        "EXISTS (SELECT 1 FROM invite WHERE id = ? AND state = 'approved')",
        [invite_id],
        'Only an approved invite can be used.',
      ),
      insist(
        DB,
        `NOT EXISTS (SELECT 1 FROM invite_use WHERE invite_id = ?1 AND visitor = ?2 AND used_at > ?3 - ${hourMs} AND used_at < ?3 + ${hourMs})`,
        [invite_id, visitor, usedAt],
        'A use by this user is counted within the hour already.',
      ),
      DB.prepare('INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, ?, ?)').bind(
        invite_id,
        visitor,
        usedAt,
      ),
    ],
    audit: { before: null, after: { invite_id, user_id, used_at: usedAt } },
  }
}

/** A use that never was: unlike one that was only kept long enough, it leaves the invite's count. */
export async function removeUsage({ DB }: Env, { key }: AdminRemoval): Promise<AdminPlan> {
  return {
    statements: [
      DB.prepare(
        'UPDATE invite SET uses_count = max(uses_count - 1, 0) WHERE id = (SELECT invite_id FROM invite_use WHERE id = ?)',
      ).bind(key),
      DB.prepare('DELETE FROM invite_use WHERE id = ?').bind(key),
    ],
  }
}
