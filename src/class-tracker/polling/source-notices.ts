import { staffMail } from '../../accounts/mails/mails.ts'
import { enqueueMails, writeDown } from '../../accounts/mails/post-mail.ts'
import { counted } from '../../web/counted.ts'

/** What staff should know about a source. One notice of a kind is open at a time; a newer one replaces its text. */
export interface SourceNotice {
  kind: 'mass_opening' | 'second_look_off'
  body: string
}

interface NamedSource {
  id: number
  name: string
}

/** Superusers who get the mail, at most. */
const MAX_MAILS = 50
/** A notice of the same kind within this of the last is not mailed again, ms. */
const MAIL_PAUSE_MS = 3_600_000

/** More sections seemed to open than is plausible, and a second read has said what is true of it. */
export function massOpening(
  source: NamedSource,
  { found, watched, at, confirmed }: { found: number; watched: number; at: number; confirmed: number },
): SourceNotice {
  const outcome =
    confirmed === 0
      ? 'A second read did not confirm it, and nobody was notified.'
      : `A second read confirmed ${counted(confirmed, 'opening')}, and those who wait were notified.`
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return {
    kind: 'mass_opening',
    body: `${source.name}: at ${when} UTC ${found} of ${counted(watched, 'watched section')} seemed to open at once. ${outcome}`,
  }
}

/**
 * Sections of these groups that turned open since `at` (ms since epoch), by what is recorded: a run may have died after it
 * recorded them.
 */
export async function openingsSince(db: D1Database, groupIds: readonly number[], at: number): Promise<number> {
  const row = await db
    .prepare(
      `SELECT count(DISTINCT s.id) AS sections
       FROM json_each(?) g CROSS JOIN section s INDEXED BY section_watched ON s.group_id = g.value AND s.watch_count > 0
       CROSS JOIN opening o ON o.section_id = s.id AND o.seen_open_at >= ? AND o.last_closed_at IS NOT NULL`,
    )
    .bind(JSON.stringify(groupIds), at)
    .first<{ sections: number }>()
  return row?.sections ?? 0
}

/** The list contradicted the second look so often that the look itself must be wrong. */
export function secondLookOff(source: NamedSource): SourceNotice {
  return {
    kind: 'second_look_off',
    body: `${source.name}: the second look before a message is now off. Five times in a row its answer contradicted the school's list for three rounds. Compare a section with the school's own page, then turn it on again in the admin.`,
  }
}

/**
 * Leaves a notice for staff and mails it to the superusers. Never rejects: what it tells about is already recorded.
 * @param now ms since epoch
 */
export async function notifyStaff(env: Env, source: NamedSource, notice: SourceNotice, now: number): Promise<void> {
  try {
    const [before, staff] = await env.DB.batch<Record<string, unknown>>([
      env.DB.prepare(
        'SELECT max(created_at) AS created_at FROM source_notice WHERE source_id = ? AND kind = ? AND created_at > ?',
      ).bind(source.id, notice.kind, now - MAIL_PAUSE_MS),
      env.DB.prepare(
        `SELECT u.id, e.address FROM user u JOIN email_address e ON e.user_id = u.id AND e.is_primary
         WHERE u.is_superuser AND u.is_active AND e.verified_at IS NOT NULL ORDER BY u.id LIMIT ?`,
      ).bind(MAX_MAILS),
    ])
    const isRecent = before?.results[0]?.['created_at'] !== null
    const mail = staffMail(notice.body)
    const people = isRecent ? [] : (staff?.results ?? [])
    const mails = await Promise.all(
      people.map(({ id, address }) =>
        writeDown(env, { kind: 'staff_notice', address: String(address), userId: Number(id), mail }, now),
      ),
    )
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO source_notice (source_id, kind, body, created_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (source_id, kind) WHERE dismissed_at IS NULL
         DO UPDATE SET body = excluded.body, created_at = excluded.created_at`,
      ).bind(source.id, notice.kind, notice.body, now),
      ...mails.map(({ statement }) => statement),
    ])
    await enqueueMails(env, mails)
  } catch (error) {
    console.error({ event: 'staff_not_notified', kind: notice.kind, source_id: source.id, error: String(error) })
  }
}
