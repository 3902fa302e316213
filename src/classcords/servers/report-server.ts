import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { malformed, notThere, refused, tooMany } from '../../web/refusal.ts'
import { typedText } from '../../web/typed-text.ts'
import type { Member } from '../viewer.ts'

const dayMs = 24 * 3600_000
const longestReport = 1000

/**
 * Reports a listed server to the managers: one a server and person in 24 hours, also when sent twice at once.
 * @throws malformed, refused (the reason), notThere, tooMany
 */
export async function reportServer(
  db: D1Database,
  member: Member,
  report: { serverId: number; reason: string },
  now: number,
  actor: Actor,
): Promise<void> {
  const reason = typedText(report.reason)
  if (reason === '') throw malformed('Reason is required')
  if (Array.from(reason).length > longestReport)
    throw refused(`The reason may have at most ${longestReport} characters`)
  const [added] = await db.batch<{ id: number }>([
    db
      .prepare(
        `INSERT INTO server_report (server_id, reporter_id, reason, created_at)
         SELECT s.id, ?2, ?3, ?4 FROM discord_server s WHERE s.id = ?1 AND s.is_active AND s.valid_invite_count > 0
           AND NOT EXISTS (SELECT 1 FROM server_report WHERE server_id = ?1 AND reporter_id = ?2 AND created_at > ?4 - ${dayMs})
         RETURNING id`,
      )
      .bind(report.serverId, member.chat.id, reason, now),
    auditRows(
      db,
      actor,
      { act: 'reported', area: 'classcords', table: 'discord_server' },
      {
        sql: `SELECT s.id AS row_key, s.name AS title, NULL AS before, json_object('reason', ?) AS after
              FROM discord_server s WHERE s.id = ? AND changes() > 0`,
        values: [reason, report.serverId],
      },
      now,
    ),
    db
      .prepare(
        `INSERT INTO notice (discord_user_id, kind, title, body, url, created_at)
         SELECT m.id, 'report', 'A server was reported', COALESCE(NULLIF(s.custom_title, ''), s.name) || ': ' || r.reason, '', ?3
         FROM server_report r JOIN discord_server s ON s.id = r.server_id
         JOIN discord_user m ON m.role = 'manager' AND NOT m.is_disabled AND m.unlinked_at IS NULL
         WHERE r.server_id = ?1 AND r.reporter_id = ?2 AND r.created_at = ?3
           AND NOT EXISTS (SELECT 1 FROM notice n WHERE n.kind = 'report' AND n.discord_user_id = m.id AND n.created_at = ?3
             AND n.body = COALESCE(NULLIF(s.custom_title, ''), s.name) || ': ' || r.reason)`,
      )
      .bind(report.serverId, member.chat.id, now),
  ])
  if (added?.results.length === 1) return
  const last = await db
    .prepare(
      `SELECT (SELECT max(created_at) FROM server_report WHERE server_id = s.id AND reporter_id = ?2) AS at
       FROM discord_server s WHERE s.id = ?1 AND s.is_active AND s.valid_invite_count > 0`,
    )
    .bind(report.serverId, member.chat.id)
    .first<{ at: number | null }>()
  if (!last) throw notThere('There is no such server.')
  throw tooMany(((last.at ?? now) + dayMs - now) / 1000, 'You have already reported this server today.')
}
