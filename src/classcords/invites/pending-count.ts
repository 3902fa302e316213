import type { Viewer } from '../viewer.ts'

/** How many invites wait for a decision; 0 for everybody who may not make one. */
export function pendingCount(db: D1Database, { isManager }: Pick<Viewer, 'isManager'>): D1PreparedStatement {
  return db.prepare(
    isManager
      ? "SELECT count(*) AS pending FROM invite INDEXED BY invite_pending WHERE state = 'pending'"
      : 'SELECT 0 AS pending',
  )
}
