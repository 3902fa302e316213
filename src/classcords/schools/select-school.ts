import { and, eq, sql } from 'drizzle-orm'
import { into, names, query, statement, writeTogether, setExcluded, condition, selectValues } from '../../db/query.ts'
import { discordUser, schoolChoice, subject } from '../../db/schema/index.ts'
import { counted } from '../../lib/text.ts'
import { DAY_MS } from '../../lib/time.ts'
import { positiveInteger } from '../../web/parse.ts'
import { unprocessable } from '../../web/refusal.ts'

const MONTH_MS = 30 * DAY_MS

/**
 * The first time at any time, then at most every 30 days; superusers at any time. The first statement checks this, so
 * that one of two simultaneous selections counts. @throws unprocessable
 */
export async function selectSchool(
  db: D1Database,
  who: { discordUserId: number; isSuperuser: boolean },
  typed: string,
  now: number,
): Promise<void> {
  const schoolId = positiveInteger(typed.trim())
  if (schoolId === null)
    throw unprocessable(typed.trim() === '' ? 'school: This field is required.' : 'school: Select a valid choice.')
  const { discordUserId, chosenAt } = schoolChoice
  const isSchool = sql<boolean>`EXISTS (SELECT 1 FROM ${subject} WHERE ${subject.schoolId} = ${schoolId})`
  const lastChoice = sql<
    number | null
  >`(SELECT ${chosenAt} FROM ${schoolChoice} WHERE ${discordUserId} = ${who.discordUserId})`
  const isChosen = and(eq(discordUser.id, who.discordUserId), sql`changes() > 0`)
  const [chosen, , known] = await writeTogether(db, [
    statement(sql`INSERT INTO ${into(schoolChoice, discordUserId, chosenAt)}
      SELECT ${discordUser.id}, ${now} FROM ${discordUser} WHERE ${discordUser.id} = ${who.discordUserId} AND ${isSchool}
      ON CONFLICT (${names(discordUserId)}) DO UPDATE SET ${setExcluded(chosenAt)}
      WHERE ${Number(who.isSuperuser)} OR ${chosenAt} <= ${now - MONTH_MS}
        OR (SELECT ${discordUser.schoolId} FROM ${discordUser} WHERE ${discordUser.id} = ${who.discordUserId}) IS NULL`),
    query.update(discordUser).set({ schoolId }).where(isChosen),
    selectValues({ chosen_at: lastChoice, is_school: condition(isSchool) }),
  ])
  if (chosen.changes > 0) return
  const [row] = known.rows
  if (!row?.is_school) throw unprocessable('school: Select a valid choice.')
  const days = Math.max(1, Math.ceil(((row.chosen_at ?? now) + MONTH_MS - now) / DAY_MS))
  throw unprocessable(`school: You can change your school again in ${counted(days, 'day')}.`)
}
