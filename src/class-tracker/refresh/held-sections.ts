import { counted } from '../../web/counted.ts'

/**
 * Why an answer without any section is not believed of a group, as a sentence; null where none of its sections is known, so
 * that nothing speaks against it. Empty is also what a site in trouble says: a subject that truly lost all its sections
 * stays unknown.
 */
export async function whyNotEmpty(db: D1Database, groupId: number): Promise<string | null> {
  const held = await db
    .prepare('SELECT count(*) AS sections FROM section WHERE group_id = ? AND missing_since IS NULL')
    .bind(groupId)
    .first<{ sections: number }>()
  const count = held?.sections ?? 0
  if (count === 0) return null
  return `We know ${counted(count, 'section')} there, and the school says there are none.`
}
