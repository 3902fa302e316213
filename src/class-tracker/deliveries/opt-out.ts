/**
 * A contact that wants no more messages, from now on, and everything to it that was not sent yet. What may have been taken
 * already is asked after and then given up by its own job.
 */
export function optOutStatements(db: D1Database, contactId: number, now: number): D1PreparedStatement[] {
  return [
    db.prepare('UPDATE contact SET opted_out_at = ? WHERE id = ? AND opted_out_at IS NULL').bind(now, contactId),
    // By the recipient, whose deliveries are indexed.
    db
      .prepare(
        `UPDATE delivery SET state = 'canceled', last_error = 'Opted out.'
         WHERE recipient_id = (SELECT recipient_id FROM contact WHERE id = ?1) AND contact_id = ?1 AND state = 'queued'`,
      )
      .bind(contactId),
  ]
}

/** @returns whether the contact wanted messages until now; null when it is gone */
export async function optOut(db: D1Database, contactId: number, now: number): Promise<boolean | null> {
  const results = await db.batch<{ id: number }>([
    ...optOutStatements(db, contactId, now),
    db.prepare('SELECT id FROM contact WHERE id = ?').bind(contactId),
  ])
  if (results.at(-1)?.results.length !== 1) return null
  return results[0]?.meta.changes === 1
}

/** The person wants messages again. What was canceled stays so. */
export async function optIn(db: D1Database, contactId: number): Promise<void> {
  await db.prepare('UPDATE contact SET opted_out_at = NULL WHERE id = ?').bind(contactId).run()
}
