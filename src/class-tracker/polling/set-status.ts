import type { Status } from '../../sources/source.ts'
import type { Actor } from '../../web/audit.ts'
import { auditRows } from '../../web/audit-rows.ts'
import { announce } from './announce.ts'
import { type KnownSection, proposeChanges } from './openings.ts'
import { recordObservations } from './record-observations.ts'

/** What a person says of sections. Free seats null: not known. */
interface SaidStatus {
  status: Exclude<Status, 'unknown'>
  seats_available: number | null
}

/** Sections that were otherwise before, openings among them, and messages that now wait to be sent. */
interface StatusSet {
  changed: number
  openings: number
  messages: number
}

/**
 * A person's word counts as an observation: it goes through the same gate as a poll's, so that the watchers of a
 * section that opens are notified. The next believed look at the school has the last word.
 */
export async function setStatus(
  env: Env,
  sectionIds: readonly number[],
  said: SaidStatus,
  actor: Actor,
  now: number,
): Promise<StatusSet> {
  const list = JSON.stringify(sectionIds)
  const { results: known } = await env.DB.prepare(
    `SELECT id, group_id, section_key, status, seats_available, capacity, waitlist_available, version, new_watch_count
     FROM section WHERE id IN (SELECT value FROM json_each(?))`,
  )
    .bind(list)
    .all<KnownSection & { group_id: number }>()
  const proposals = known.flatMap((section) =>
    proposeChanges(
      [section],
      [{ ...said, section_key: section.section_key, capacity: section.capacity, waitlist_available: null }],
      { group_id: section.group_id, asked_at: now },
    ),
  )
  const pollId = `said.${crypto.randomUUID()}`
  const audit = auditStatus(env.DB, known, pollId, now, actor)
  const groupIds = JSON.stringify([...new Set(known.map(({ group_id }) => group_id))])
  const edited = env.DB.prepare(
    'UPDATE section_group SET edited_at = ? WHERE id IN (SELECT value FROM json_each(?))',
  ).bind(now, groupIds)
  // What the school no longer lists, or contradicts itself about, is shown as unknown until somebody says better.
  const found = env.DB.prepare(
    `UPDATE section SET missing_since = NULL, unknown_since = NULL
     WHERE id IN (SELECT value FROM json_each(?)) AND coalesce(missing_since, unknown_since) IS NOT NULL AND status = ?`,
  ).bind(list, said.status)
  const recorded = await recordObservations(env.DB, pollId, now, proposals, [], [audit, edited, found])
  await announce(env, recorded)
  const counts = await env.DB.prepare(
    'SELECT count(*) AS changed FROM section WHERE id IN (SELECT value FROM json_each(?)) AND poll_id = ?',
  )
    .bind(list, pollId)
    .first<{ changed: number }>()
  const changed = counts?.changed ?? 0
  return { changed, openings: recorded.openings, messages: recorded.delivery_ids.length }
}

/** An entry for each section that this very act changed. */
function auditStatus(
  db: D1Database,
  known: readonly KnownSection[],
  pollId: string,
  now: number,
  actor: Actor,
): D1PreparedStatement {
  const before = known.map(({ id, status, seats_available }) => [id, JSON.stringify({ status, seats_available })])
  return auditRows(
    db,
    actor,
    { act: 'changed', area: 'class_tracker', table: 'section' },
    {
      sql: `SELECT s.id AS row_key, c.code || ' ' || c.level || ' section ' || s.section AS title, v.value ->> 1 AS before,
          json_object('status', s.status, 'seats_available', s.seats_available) AS after
        FROM json_each(?) v JOIN section s ON s.id = v.value ->> 0 AND s.poll_id = ? JOIN course c ON c.id = s.course_id`,
      values: [JSON.stringify(before), pollId],
    },
    now,
  )
}
