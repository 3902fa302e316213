import { type Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { iso } from '../../web/moment.ts'
import { notThere } from '../../web/refusal.ts'
import type { SourceNotice } from '../contract.ts'

/** Notices shown at a time. */
const MAX_NOTICES = 20

export interface SourceNoticeRow {
  id: number
  body: string
  created_at: number
}

/** What staff have not dismissed yet, newest first. For `readTogether`, then {@link sourceNoticesOf}. */
export function sourceNoticesStatement(db: D1Database): D1PreparedStatement {
  return db
    .prepare(
      'SELECT id, body, created_at FROM source_notice WHERE dismissed_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ?',
    )
    .bind(MAX_NOTICES)
}

export function sourceNoticesOf(rows: readonly SourceNoticeRow[]): SourceNotice[] {
  return rows.map(({ id, body, created_at }) => ({ id, body, created_at: iso(created_at) }))
}

/**
 * Takes a notice off the pages; it stays in the database. A second click changes nothing.
 * @throws notThere
 */
export async function dismissSourceNotice(db: D1Database, id: number, actor: Actor, now: number): Promise<void> {
  const [, , there] = await db.batch<{ id: number }>([
    auditRows(
      db,
      actor,
      { act: 'dismissed', area: 'class_tracker', table: 'source_notice' },
      {
        sql: `SELECT id AS row_key, body AS title, NULL AS before, NULL AS after FROM source_notice
          WHERE id = ? AND dismissed_at IS NULL`,
        values: [id],
      },
      now,
    ),
    db.prepare('UPDATE source_notice SET dismissed_at = ? WHERE id = ? AND dismissed_at IS NULL').bind(now, id),
    db.prepare('SELECT id FROM source_notice WHERE id = ?').bind(id),
  ])
  if (there?.results.length !== 1) throw notThere('This notice is no longer there.')
}
