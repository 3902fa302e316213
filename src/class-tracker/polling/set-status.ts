import { and, eq, type SQL, sql } from 'drizzle-orm'
import { isIn } from '../../db/json-argument.ts'
import { query, read, readFirst, type Query } from '../../db/query.ts'
import { course, section, sectionGroup } from '../../db/schema/index.ts'
import type { Status } from '../../sources/source.ts'
import { type Actor, auditRows } from '../../web/audit.ts'
import { type KnownSection, proposeChanges } from './openings.ts'
import { refuseUnlessSuperuser, type TrackerActor } from '../tracker-actor.ts'
import { announce, recordObservations } from './record-observations.ts'
import { knownFields } from './watched-groups.ts'
import { sectionName } from '../courses/section-row.ts'

/** The status that a person sets for sections. Free seats null: unknown. */
interface EnteredStatus {
  status: Exclude<Status, 'unknown'>
  seats_available: number | null
}

/**
 * Recorded like a poll's observation, so watchers are notified; the school's next believed answer replaces it.
 * @returns how many sections changed, how many opened, and how many messages now wait to be sent
 * @throws forbidden
 */
export async function setStatus(
  env: Env,
  by: TrackerActor,
  sectionIds: readonly number[],
  entered: EnteredStatus,
  now: number,
) {
  refuseUnlessSuperuser(by)
  const isNamed = isIn(section.id, sectionIds)
  const known = await read(env.DB, findKnown(isNamed))
  // What a person enters counts as the newest, even if this clock is behind the one that stamped the last answer.
  const enteredAt = Math.max(now, ...known.map(({ recorded_at }) => recorded_at))
  const proposals = known.flatMap((section) =>
    proposeChanges(
      [section],
      [
        {
          ...entered,
          section_key: section.section_key,
          seats_for_anyone: null,
          capacity: section.capacity,
          waitlist_available: null,
        },
      ],
      { group_id: section.group_id, asked_at: enteredAt, seen_at: now },
    ),
  )
  const pollId = `said.${crypto.randomUUID()}`
  const audit = auditStatus(known, pollId, now, by.audit)
  const groupIds = new Set(known.map(({ group_id }) => group_id))
  const edited = query
    .update(sectionGroup)
    .set({ editedAt: enteredAt })
    .where(isIn(sectionGroup.id, [...groupIds]))
  // A section that the school no longer lists, or contradicts itself about, is shown as unknown until a person sets it.
  const observed = query
    .update(section)
    .set({
      // An answer that was requested before must not overwrite it, even if it changed nothing.
      version: sql`${section.version} + (${section.pollId} IS NOT ${pollId})`,
      missingSince: null,
      unknownSince: null,
      setOpenAt: entered.status === 'open' ? enteredAt : null,
    })
    .where(and(isNamed, eq(section.status, entered.status)))
  const recorded = await recordObservations(env.DB, {
    pollId,
    now,
    proposals,
    groups: [],
    statements: [audit, edited, observed],
  })
  await announce(env, recorded)
  const counts = await readFirst(
    env.DB,
    query
      .select({ changed: sql<number>`count(*)` })
      .from(section)
      .where(and(isNamed, eq(section.pollId, pollId))),
  )
  const changed = counts?.changed ?? 0
  return { changed, openings: recorded.openings, messages: recorded.delivery_ids.length }
}

/** The sections as they are stored. `recorded_at`: the newest read or edit of their group, ms since epoch. */
const findKnown = (isNamed: SQL) =>
  query
    .select({
      ...knownFields,
      recorded_at: sql<number>`max(coalesce(${sectionGroup.readAt}, 0), coalesce(${sectionGroup.editedAt}, 0))`,
    })
    .from(section)
    .innerJoin(sectionGroup, eq(sectionGroup.id, section.groupId))
    .where(isNamed)

/** An audit entry for each section that this call changed. */
function auditStatus(known: readonly KnownSection[], pollId: string, now: number, actor: Actor): Query {
  const before = known.map(({ id, status, seats_available }) => [id, JSON.stringify({ status, seats_available })])
  return auditRows(
    actor,
    { act: 'changed', area: 'class_tracker', table: 'section' },
    sql`SELECT ${section.id} AS row_key,
        ${sectionName} AS title, v.value ->> 1 AS before,
        json_object('status', ${section.status}, 'seats_available', ${section.seatsAvailable}) AS after
      FROM json_each(${JSON.stringify(before)}) v
      JOIN ${section} ON ${section.id} = v.value ->> 0 AND ${section.pollId} = ${pollId}
      JOIN ${course} ON ${course.id} = ${section.courseId}`,
    now,
  )
}
