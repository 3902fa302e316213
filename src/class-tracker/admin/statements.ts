import type { AdminValue } from '../../web/admin-change.ts'

type Columns = Readonly<Record<string, AdminValue>>

/** Adds a row. Names of columns are ours, never typed by anybody. */
export function insertRow(db: D1Database, table: string, columns: Columns): D1PreparedStatement {
  const names = Object.keys(columns)
  return db
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .bind(...Object.values(columns))
}

/** Sets columns of the row with this id. */
export function updateRow(db: D1Database, table: string, id: AdminValue, columns: Columns): D1PreparedStatement {
  const sets = Object.keys(columns).map((name) => `${name} = ?`)
  return db.prepare(`UPDATE ${table} SET ${sets.join(', ')} WHERE id = ?`).bind(...Object.values(columns), id)
}
