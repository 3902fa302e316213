import type { School } from '../contract.ts'

/** More schools or terms than anybody could choose from. */
const most = 2000

/** Every school by name, those that staff prefer first. For `readTogether`: rows are `School`. */
export function schoolsStatement(db: D1Database): D1PreparedStatement {
  return db
    .prepare('SELECT id, name FROM school ORDER BY is_preferred DESC, name COLLATE NOCASE, id LIMIT ?')
    .bind(most)
}

/** Terms that some school offers, those that staff prefer first, then the last to end. For `readTogether`: rows are `Term`. */
export function termsStatement(db: D1Database): D1PreparedStatement {
  return db
    .prepare(
      `SELECT t.id, t.full_term_name FROM term t JOIN school_term st ON st.term_id = t.id AND st.is_available
       GROUP BY t.id ORDER BY t.is_preferred DESC, max(st.ends_at) DESC, t.id DESC LIMIT ?`,
    )
    .bind(most)
}

export async function getSchools(db: D1Database): Promise<School[]> {
  return (await schoolsStatement(db).all<School>()).results
}
