/** Lets go of links and codes that went to an address which is no longer somebody's, or may not be theirs. */
export function forgetLinks(db: D1Database, userId: number): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `DELETE FROM email_confirmation WHERE user_id = ?1 AND NOT EXISTS (
           SELECT 1 FROM email_address e WHERE e.user_id = ?1 AND lower(e.address) = lower(email_confirmation.address))`,
      )
      .bind(userId),
    db.prepare('DELETE FROM password_reset WHERE user_id = ?').bind(userId),
    db.prepare('DELETE FROM sign_in_code WHERE user_id = ?').bind(userId),
  ]
}
