import { counted } from '../../web/counted.ts'
import { positiveInteger } from '../../web/parse.ts'
import { refused } from '../../web/refusal.ts'

const monthMs = 30 * 24 * 3600_000

/**
 * Chooses somebody's school: freely once, then at most every 30 days; superusers at any time. The condition is in the statement, so
 * that two choices at once are one. @throws refused
 */
export async function selectSchool(
  db: D1Database,
  who: { chatId: number; isSuperuser: boolean },
  typed: string,
  now: number,
): Promise<void> {
  const schoolId = positiveInteger(typed.trim())
  if (schoolId === null)
    throw refused(typed.trim() === '' ? 'school: This field is required.' : 'school: Select a valid choice.')
  const [chosen, , known] = await db.batch<{ chosen_at: number | null; is_school: number }>([
    db
      .prepare(
        `INSERT INTO school_choice (discord_user_id, chosen_at)
         SELECT id, ?3 FROM discord_user WHERE id = ?1 AND EXISTS (SELECT 1 FROM subject WHERE school_id = ?2)
         ON CONFLICT (discord_user_id) DO UPDATE SET chosen_at = excluded.chosen_at
         WHERE ?4 OR school_choice.chosen_at <= ?5 OR (SELECT school_id FROM discord_user WHERE id = ?1) IS NULL`,
      )
      .bind(who.chatId, schoolId, now, who.isSuperuser ? 1 : 0, now - monthMs),
    db
      .prepare(
        `UPDATE discord_user SET school_id = ?2
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM subject WHERE school_id = ?2)
           AND ?3 = (SELECT chosen_at FROM school_choice WHERE discord_user_id = ?1)`,
      )
      .bind(who.chatId, schoolId, now),
    db
      .prepare(
        `SELECT (SELECT chosen_at FROM school_choice WHERE discord_user_id = ?1) AS chosen_at,
           EXISTS (SELECT 1 FROM subject WHERE school_id = ?2) AS is_school`,
      )
      .bind(who.chatId, schoolId),
  ])
  if (chosen?.meta.changes) return
  const row = known?.results[0]
  if (!row?.is_school) throw refused('school: Select a valid choice.')
  const days = Math.max(1, Math.ceil(((row.chosen_at ?? now) + monthMs - now) / (24 * 3600_000)))
  throw refused(`school: You can change your school again in ${counted(days, 'day')}.`)
}
