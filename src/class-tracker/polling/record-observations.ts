import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  constant,
  into,
  names,
  parameter,
  prepared,
  query,
  type Query,
  statement,
  template,
  writeThenRead,
  writeTogether,
} from '../../db/query.ts'
import { isIn } from '../../db/json-argument.ts'
import { classAlert, delivery, opening, seatChange, section, sectionGroup, watch } from '../../db/schema/index.ts'
import { observedAtOf } from '../courses/observed-at.ts'
import { seatsLeftOf } from '../courses/section-row.ts'
import { heldBefore, isFairTurns, isReachable, lastTurnOf, waveMs } from '../alerts/fair-turns.ts'
import { makeDeliveries } from '../alerts/release-alerts.ts'
import { queueDeliveries } from '../deliveries/queue-deliveries.ts'
import { planSweep } from '../deliveries/sweep-alerts.ts'
import { type Absence, recordAbsence, type CheckedGroup } from './absence.ts'
import type { Asked, Proposal } from './openings.ts'
import { a, g, o, s, stored, w } from '../aliases.ts'

const c = alias(seatChange, 'c')

/**
 * A group of a source whose answer was believed. `known_at`: the time (ms since epoch) before we read which of its
 * sections are watched; `asked_at`: the time before the school was asked. Groups that no one watches anymore are
 * skipped.
 */
export interface BelievedGroup extends Asked {
  source_id: number
  known_at: number
  /** Watched sections that were not observed, or are observed again; absent when all were observed, now and before. */
  absence?: Absence | null
}

/** The most releases that are scheduled individually; others wait for the sweep of their minute. */
const MAX_PLANNED = 60

export interface Recorded {
  /** Deliveries that now wait to be sent. */
  delivery_ids: number[]
  /** When its texts have waited long enough for a push notification to be seen, and the alerts that it held become due. */
  sweep_at: number[]
  openings: number
}

/** What one poll, refresh or edit found. */
interface Observations {
  /** New for each call, never reused; repeating a call with the same one (after a lost answer) changes nothing. */
  pollId: string
  /** ms since epoch */
  now: number
  proposals: readonly Proposal[]
  groups: readonly BelievedGroup[]
  /** Further statements for the same batch. */
  statements?: readonly Query[]
}

/**
 * One atomic batch: openings, seats, alerts, deliveries and freshness.
 *
 * Writes are guarded by versions: an opening is inserted only while the section has the version that
 * was read, and everything after it depends on what this poll has written. Of two concurrent polls, one wins and the
 * other changes no row.
 */
export async function recordObservations(
  db: D1Database,
  { pollId, now, proposals, groups, statements = [] }: Observations,
): Promise<Recorded> {
  if (proposals.length === 0) {
    const reads = groups.length > 0 ? [...recordAbsence(checkedGroups(groups)), readGroups(groups)] : []
    await writeTogether(db, [...reads, ...statements])
    return { delivery_ids: [], sweep_at: [], openings: 0 }
  }
  const list = JSON.stringify(
    proposals.map((proposal) => [
      proposal.known.id,
      proposal.known.version,
      proposal.status,
      proposal.seats_available,
      proposal.capacity,
      proposal.waitlist_available,
      Number(proposal.is_changed),
      Number(proposal.is_opening),
      proposal.group_id,
      proposal.asked_at,
      proposal.seen_at,
      proposal.seats_for_anyone,
    ]),
  )
  const writes = [
    openSections(pollId, list),
    keepHistory(now, list),
    changeSections(pollId, list),
    alertWatchers(pollId, now, list),
    endNewWatches(pollId, list),
    ...makeDeliveries(pollId, now),
    ...recordAbsence(checkedGroups(groups)),
    readGroups(groups),
    ...rememberOpenings(proposals, now),
    ...statements,
  ]
  const [openings, deliveries, held] = await writeThenRead(
    db,
    writes,
    // Like the deliveries and alerts, found by an index on `poll_id`.
    query.select({ id: opening.id }).from(opening).where(eq(opening.pollId, pollId)),
    query
      .select({ id: delivery.id, state: delivery.state, due_at: delivery.dueAt })
      .from(delivery)
      .where(eq(delivery.pollId, pollId)),
    heldAlertsOf(pollId),
  )
  const textsDueAt = deliveries.flatMap(({ state, due_at }) => (state === 'waiting' ? due_at : []))
  const heldUntil = held.flatMap(({ release_at }) => release_at ?? []).toSorted((one, other) => one - other)
  return {
    delivery_ids: deliveries.filter(({ state }) => state === 'queued').map(({ id }) => id),
    sweep_at: [...(textsDueAt.length > 0 ? [Math.max(...textsDueAt)] : []), ...heldUntil.slice(0, MAX_PLANNED)],
    openings: openings.length,
  }
}

function heldAlertsOf(pollId: string) {
  return template(
    { release_at: a.releaseAt },
    (columns) => sql`SELECT DISTINCT ${columns} FROM ${opening} ${o} JOIN ${classAlert} ${a} ON ${a.openingId} = ${o.id}
      WHERE ${o.pollId} = ${pollId} AND ${a.pollId} IS NULL AND ${a.canceledAt} IS NULL AND ${a.releaseAt} IS NOT NULL`,
  )
}

function rememberOpenings(proposals: readonly Proposal[], now: number): Query[] {
  const groups = new Set(proposals.flatMap(({ is_opening, group_id }) => (is_opening ? [group_id] : [])))
  if (groups.size === 0) return []
  return [
    query
      .update(sectionGroup)
      .set({ openedAt: now })
      .where(isIn(sectionGroup.id, [...groups])),
  ]
}

/** Queues what was recorded and plans what comes later. If this fails, the next minute's sweep does it. */
export async function announce(env: Env, recorded: Recorded): Promise<void> {
  await queueDeliveries(env, recorded.delivery_ids)
  for (const at of recorded.sweep_at) await planSweep(env, at)
}

function checkedGroups(groups: readonly BelievedGroup[]): CheckedGroup[] {
  return groups.flatMap(({ group_id, known_at, absence }) => (absence ? [{ group_id, known_at, ...absence }] : []))
}

/**
 * The proposals as a table, without those that are older than what the group holds: a slow answer must not overwrite
 * one that was requested later. (What a person enters gives only that section a new version.) Columns of the JSON rows
 * are by position to keep the argument small.
 */
const proposed = (list: string): SQL => sql`WITH proposal AS MATERIALIZED (
  SELECT value ->> 0 AS section_id, value ->> 1 AS version, value ->> 2 AS status, value ->> 3 AS seats_available,
    value ->> 4 AS capacity, value ->> 5 AS waitlist_available, value ->> 6 AS is_changed, value ->> 7 AS is_opening,
    value ->> 10 AS seen_at, value ->> 11 AS seats_for_anyone
  FROM json_each(${list}) CROSS JOIN ${sectionGroup} ${stored} ON ${stored.id} = value ->> 8
    AND coalesce(${stored.readAt}, 0) <= value ->> 9)`

/**
 * Inserts openings: of sections that became open, and of open sections with new watchers. An opening carries the
 * version that the section has after this batch: {@link changeSections} gives each a new version, so that a watch that
 * ended and was added again is notified again.
 */
function openSections(pollId: string, list: string): Query {
  return statement(sql`${proposed(list)}
    INSERT INTO ${into(opening, opening.sectionId, opening.version, opening.pollId, opening.lastClosedAt, opening.seenOpenAt)}
    SELECT ${s.id}, ${s.version} + 1, ${pollId}, iif(p.is_opening, ${observedAtOf(s, g)}, NULL), p.seen_at
    FROM proposal p CROSS JOIN ${section} ${s} ON ${s.id} = p.section_id AND ${s.version} = p.version
    JOIN ${sectionGroup} ${g} ON ${g.id} = ${s.groupId}
    WHERE p.status = 'open' AND (p.is_opening OR ${s.newWatchCount} > 0)
    ON CONFLICT DO NOTHING`)
}

/** A row of history for each change, and one for the first read, where charts start. */
function keepHistory(now: number, list: string): Query {
  const { sectionId, at, status, seatsAvailable, capacity, waitlistAvailable } = seatChange
  const seats = sql`coalesce(p.seats_for_anyone, p.seats_available)`
  return statement(sql`${proposed(list)}
    INSERT INTO ${into(seatChange, sectionId, at, status, seatsAvailable, capacity, waitlistAvailable)}
    SELECT ${s.id}, ${now}, p.status, ${seats}, p.capacity, p.waitlist_available
    FROM proposal p CROSS JOIN ${section} ${s} ON ${s.id} = p.section_id AND ${s.version} = p.version
    WHERE p.is_changed AND (p.status, ${seats}, p.capacity, p.waitlist_available)
        IS NOT (${s.status}, ${seatsLeftOf(s)}, ${s.capacity}, ${s.waitlistAvailable})
      OR NOT EXISTS (SELECT 1 FROM ${seatChange} ${c} WHERE ${c.sectionId} = ${s.id})`)
}

function changeSections(pollId: string, list: string): Query {
  return statement(sql`${proposed(list)}
    UPDATE ${section}
    SET ${names(section.status)} = p.status, ${names(section.seatsAvailable)} = p.seats_available,
      ${names(section.seatsForAnyone)} = p.seats_for_anyone,
      ${names(section.capacity)} = p.capacity, ${names(section.waitlistAvailable)} = p.waitlist_available,
      ${names(section.version)} = ${section.version} + 1, ${names(section.pollId)} = ${pollId}
    FROM proposal p
    WHERE ${section.id} = p.section_id AND ${section.version} = p.version
      AND (p.is_changed OR p.status = 'open' AND ${section.newWatchCount} > 0)`)
}

/** Sections whose current version is this poll's: it wrote that version, or read it and found no change. */
const isOurs = (pollId: string): SQL =>
  sql`(${s.pollId} = ${pollId} AND ${s.version} = p.version + 1 OR NOT p.is_changed AND ${s.version} = p.version)`

/**
 * One alert per watcher: all of them when the section became open, otherwise only the new ones. It is held (no poll id,
 * due at `release_at`) for ten minutes after the watcher's last alert for the section and, with fair turns, until their
 * wave; `makeDeliveries` does the rest.
 */
function alertWatchers(pollId: string, now: number, list: string): Query {
  const { openingId, recipientId, sectionId, kind, reminder, createdAt, releaseAt, wave } = classAlert
  const takesPlace = sql`iif(${isFairTurns}, iif(${heldBefore} <= ${now}, ${isReachable(w.recipientId, now)}, 0), 0)`
  // How many watchers come before.
  const place = sql`sum(${takesPlace}) OVER (PARTITION BY ${s.id} ORDER BY ${w.createdAt}, ${w.id} ROWS UNBOUNDED PRECEDING)
    - ${takesPlace}`
  return statement(sql`${proposed(list)}
    INSERT INTO ${into(classAlert, openingId, recipientId, sectionId, kind, reminder, createdAt, releaseAt, classAlert.pollId, wave)}
    SELECT opening_id, recipient_id, section_id, 'opening', 0, ${now},
      iif(release_at > ${now}, release_at, NULL), iif(release_at > ${now}, NULL, ${pollId}), wave
    FROM (SELECT *, max(held_until, coalesce(last_turn, ${now}) + wave * ${waveMs}) AS release_at
    FROM (SELECT *, in_turn + (last_turn IS NOT NULL) AS wave FROM (
    SELECT ${o.id} AS opening_id, ${w.recipientId} AS recipient_id, ${s.id} AS section_id,
      ${heldBefore} AS held_until,
      iif(${isFairTurns} AND NOT p.is_opening, ${lastTurnOf(s.id)}, NULL) AS last_turn,
      iif(${isFairTurns}, (${place}) / max(1, coalesce(p.seats_for_anyone, p.seats_available, 1)), 0) AS in_turn
    FROM proposal p CROSS JOIN ${section} ${s} ON ${s.id} = p.section_id
    JOIN ${opening} ${o} ON ${o.sectionId} = ${s.id} AND ${o.version} = ${s.version}
    JOIN ${watch} ${w} ON ${w.sectionId} = ${s.id} AND ${w.archivedAt} IS NULL
    WHERE p.status = 'open' AND ${isOurs(pollId)} AND (p.is_opening OR ${s.newWatchCount} > 0)
      AND (${w.isNew} OR p.is_opening AND ${o.pollId} = ${pollId}))))
    WHERE true ON CONFLICT DO NOTHING`)
}

function endNewWatches(pollId: string, list: string): Query {
  return statement(sql`${proposed(list)}
    UPDATE ${watch} SET ${names(watch.isNew)} = 0
    WHERE ${watch.isNew} AND ${watch.archivedAt} IS NULL AND ${watch.sectionId} IN (
      SELECT ${s.id} FROM proposal p CROSS JOIN ${section} ${s} ON ${s.id} = p.section_id
      WHERE ${s.newWatchCount} > 0 AND ${isOurs(pollId)})`)
}

/**
 * One row per group, whatever was seen in it. Its time only moves forward, and not past a read made after we read
 * which sections to request: a section watched since then would seem more recent than it is. The source's watched
 * groups are found by their index and look themselves up in the argument, which reads one row each; a join with the
 * list reads four.
 */
const readGroupsOfSource = prepared(() => {
  const { id, sourceId, watchCount, readAt, askedAt, failures, lastError } = sectionGroup
  const answered = (index: number) => sql`(${parameter('list')} ->> ('$."' || ${id} || '"[${constant(index)}]'))`
  return statement(sql`UPDATE ${sectionGroup} SET ${names(readAt)} = max(coalesce(${readAt}, 0), ${answered(0)}),
      ${names(askedAt)} = max(coalesce(${askedAt}, 0), ${answered(0)}), ${names(failures)} = 0, ${names(lastError)} = ${answered(2)}
    WHERE ${sourceId} = ${parameter('source_id')} AND ${watchCount} > 0
      AND coalesce(${readAt}, 0) < ${answered(1)}`)
})

function readGroups(groups: readonly BelievedGroup[]): Query {
  const answers = groups.map(({ group_id, asked_at, known_at, absence }) => [
    group_id,
    [asked_at, known_at, absence?.why ?? null],
  ])
  return readGroupsOfSource({
    list: JSON.stringify(Object.fromEntries(answers)),
    source_id: groups[0]?.source_id ?? null,
  })
}
