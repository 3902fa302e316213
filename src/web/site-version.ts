/** What public answers about a school (0: all of them) are made of, as one word; no row for a school that is not there. */
export function siteVersion(db: D1Database, schoolId: number): D1PreparedStatement {
  return db.prepare('SELECT version FROM site_version WHERE school_id = ?').bind(schoolId)
}
