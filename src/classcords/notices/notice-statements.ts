/** A message of the directory. `url` is a place of ours. */
export interface NewNotice {
  kind: 'approved' | 'rejected' | 'expired' | 'invalid' | 'quarantined' | 'restored' | 'report'
  title: string
  body: string
  url: string
}

/** Server of the invite `i`, as people know it. */
const serverName = `(SELECT COALESCE(NULLIF(s.custom_title, ''), s.name) FROM discord_server s WHERE s.id = i.server_id)`

/** Tells who submitted the invite with this decision key; of a decision, unless it was their own. The body follows the server's name. */
export function tellSubmitter(
  db: D1Database,
  decisionKey: string,
  notice: NewNotice,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO notice (discord_user_id, kind, title, body, url, invite_id, created_at)
       SELECT i.submitter_id, ?2, ?3, ${serverName} || iif(?4 = '', '', ': ' || ?4), ?5, i.id, ?6
       FROM invite i WHERE i.decision_key = ?1 AND i.submitter_id IS NOT NULL
         AND (?2 NOT IN ('approved', 'rejected') OR i.submitter_id IS NOT i.decided_by)`,
    )
    .bind(decisionKey, notice.kind, notice.title, notice.body, notice.url, now)
}

/** Tells every manager but the submitter about the invite with this decision key. */
export function tellManagers(db: D1Database, decisionKey: string, notice: NewNotice, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO notice (discord_user_id, kind, title, body, url, invite_id, created_at)
       SELECT m.id, ?2, ?3, ?4, ?5, i.id, ?6 FROM invite i
       JOIN discord_user m ON m.role = 'manager' AND NOT m.is_disabled AND m.unlinked_at IS NULL
       WHERE i.decision_key = ?1 AND m.id IS NOT i.submitter_id`,
    )
    .bind(decisionKey, notice.kind, notice.title, notice.body, notice.url, now)
}
