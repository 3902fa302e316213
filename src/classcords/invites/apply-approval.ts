/** Which link tables take what from an approved invite `i`. */
const links = [
  {
    table: 'server_school',
    key: 'school_id',
    from: 'SELECT i.server_id, i.school_id, i.id FROM invite i',
    of: 'i.school_id IS NOT NULL',
  },
  {
    table: 'server_subject',
    key: 'subject_id',
    from: 'SELECT i.server_id, i.subject_id, i.id FROM invite i',
    of: 'i.subject_id IS NOT NULL',
  },
  {
    table: 'server_course',
    key: 'course_id',
    from: 'SELECT i.server_id, l.course_id, i.id FROM invite i JOIN invite_course l ON l.invite_id = i.id',
    of: 'true',
  },
  {
    table: 'server_instructor',
    key: 'instructor_id',
    from: 'SELECT i.server_id, l.instructor_id, i.id FROM invite i JOIN invite_instructor l ON l.invite_id = i.id',
    of: 'true',
  },
] as const

/**
 * What follows when the invite under `decisionKey` was approved in the same batch: its server gets what was submitted. Nothing
 * happens when it was not.
 */
export function applyApproval(
  db: D1Database,
  decisionKey: string,
  decision: { decidedBy: number | null; now: number },
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE discord_server SET privacy_level = i.privacy_level, version = version + 1
         FROM invite i WHERE i.decision_key = ?1 AND i.state = 'approved' AND discord_server.id = i.server_id`,
      )
      .bind(decisionKey),
    ...links.map(({ table, key, from, of }) =>
      db
        .prepare(
          `INSERT INTO ${table} (server_id, ${key}, invite_id) ${from} WHERE i.decision_key = ?1 AND i.state = 'approved' AND ${of}
           ON CONFLICT DO NOTHING`,
        )
        .bind(decisionKey),
    ),
    recordDecision(db, decisionKey, 'approved', decision),
  ]
}

/**
 * Takes back what the invite's approval brought to its server. What another approved invite of the server had said too stays, and
 * its privacy level is that of the latest one left.
 */
export function undoApproval(db: D1Database, decisionKey: string): D1PreparedStatement[] {
  const undone = `(SELECT id FROM invite WHERE decision_key = ?1 AND state = 'pending')`
  const server = `(SELECT server_id FROM invite WHERE decision_key = ?1 AND state = 'pending')`
  return [
    ...links.flatMap(({ table, key, from, of }) => [
      db.prepare(`DELETE FROM ${table} WHERE invite_id = ${undone}`).bind(decisionKey),
      db
        .prepare(
          `INSERT INTO ${table} (server_id, ${key}, invite_id) ${from}
           WHERE i.server_id = ${server} AND i.state = 'approved' AND ${of} ORDER BY i.decided_at ON CONFLICT DO NOTHING`,
        )
        .bind(decisionKey),
    ]),
    db
      .prepare(
        `UPDATE discord_server SET version = version + 1, privacy_level = COALESCE(
           (SELECT i.privacy_level FROM invite i WHERE i.server_id = discord_server.id AND i.state = 'approved'
            ORDER BY i.decided_at DESC LIMIT 1), privacy_level)
         WHERE id = ${server}`,
      )
      .bind(decisionKey),
  ]
}

/** One line in the history of the invite that has this decision key. */
export function recordDecision(
  db: D1Database,
  decisionKey: string,
  decision: 'approved' | 'rejected' | 'withdrawn',
  { decidedBy, now, reason = '' }: { decidedBy: number | null; now: number; reason?: string },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO invite_decision (invite_id, decision, decided_by, reason, created_at)
       SELECT id, ?2, ?3, ?4, ?5 FROM invite WHERE decision_key = ?1`,
    )
    .bind(decisionKey, decision, decidedBy, reason, now)
}
