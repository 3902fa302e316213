import { releaseStatements } from '../sweep/release-alerts.ts'
import { observedAt } from '../catalogue/observed-at.ts'
import { type Absence, absenceStatements, type Looked } from './absence.ts'
import type { Asked, Proposal } from './openings.ts'

/** An alert that falls within this of the recipient's last one for the section is held until the time is over. */
export const holdMs = 10 * 60_000

/**
 * A group of a source whose answer was believed. `known_at`: the clock (ms since epoch) before we read which of its
 * sections are watched; `asked_at`: before the school was asked. Groups that nobody watches any more are skipped.
 */
export interface BelievedGroup extends Asked {
  source_id: number
  known_at: number
  /** Watched sections that were not observed, or are again; absent where all were, as they were before. */
  absence?: Absence | null
}

export interface Recorded {
  /** Deliveries that now wait to be sent. */
  delivery_ids: number[]
  /** When the alerts that were held by this poll come due. */
  held_until: number[]
  openings: number
}

/**
 * One atomic batch: openings, seats, alerts, deliveries and freshness. `pollId` is new for each call and never reused for
 * other observations; repeating a call with the same one (after an answer that was lost) changes nothing.
 *
 * The comparison proposed, the database decides: an opening is inserted only while the section has the version that was
 * read, and everything after it hangs on what this very poll managed to write. Of two polls at once one wins and the other
 * changes no row.
 * @param along what else belongs to the batch
 */
export async function recordObservations(
  db: D1Database,
  pollId: string,
  now: number,
  proposals: readonly Proposal[],
  groups: readonly BelievedGroup[],
  along: readonly D1PreparedStatement[] = [],
): Promise<Recorded> {
  if (proposals.length === 0) {
    const statements = [
      ...(groups.length > 0 ? [...absenceStatements(db, looked(groups)), readGroups(db, groups)] : []),
      ...along,
    ]
    if (statements.length > 0) await db.batch(statements)
    return { delivery_ids: [], held_until: [], openings: 0 }
  }
  const list = JSON.stringify(
    proposals.map((proposal) => [
      proposal.section_id,
      proposal.version,
      proposal.status,
      proposal.seats_available,
      proposal.capacity,
      proposal.waitlist_available,
      Number(proposal.is_changed),
      Number(proposal.is_opening),
      proposal.group_id,
      proposal.asked_at,
      proposal.seen_at ?? now,
    ]),
  )
  const statements = [
    openSections(db, pollId, list),
    keepHistory(db, now, list),
    changeSections(db, pollId, list),
    alertWatchers(db, pollId, now, list),
    endFirstLooks(db, pollId, list),
    ...releaseStatements(db, pollId, now),
    ...absenceStatements(db, looked(groups)),
    readGroups(db, groups),
    ...along,
    db.prepare('SELECT id FROM delivery WHERE poll_id = ?').bind(pollId),
    db
      .prepare(
        `SELECT DISTINCT a.release_at FROM opening o JOIN class_alert a ON a.opening_id = o.id
         WHERE o.poll_id = ? AND a.poll_id IS NULL AND a.canceled_at IS NULL AND a.release_at IS NOT NULL`,
      )
      .bind(pollId),
  ]
  const results = await db.batch<Record<string, number>>(statements)
  return {
    delivery_ids: (results.at(-2)?.results ?? []).flatMap((row) => row['id'] ?? []),
    held_until: (results.at(-1)?.results ?? []).flatMap((row) => row['release_at'] ?? []),
    openings: results[0]?.meta.changes ?? 0,
  }
}

function looked(groups: readonly BelievedGroup[]): Looked[] {
  return groups.flatMap(({ group_id, known_at, absence }) => (absence ? [{ group_id, known_at, ...absence }] : []))
}

/**
 * The proposals as a table, without those that are older than what the group holds: an answer that took long must not
 * overwrite one that was asked for later. Columns of the JSON rows are by position to keep the argument small.
 */
const proposed = `WITH proposal AS MATERIALIZED (
  SELECT value ->> 0 AS section_id, value ->> 1 AS version, value ->> 2 AS status, value ->> 3 AS seats_available,
    value ->> 4 AS capacity, value ->> 5 AS waitlist_available, value ->> 6 AS is_changed, value ->> 7 AS is_opening,
    value ->> 10 AS seen_at
  FROM json_each(?) CROSS JOIN section_group held ON held.id = value ->> 8 AND coalesce(held.read_at, 0) <= value ->> 9)`

/**
 * Sections that turned open, and sections whose new watchers find them open. An opening carries the version the section
 * has once this batch is done: {@link changeSections} gives each one a version of its own, so that a watch which ended and
 * began again is notified again.
 */
function openSections(db: D1Database, pollId: string, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${proposed}
       INSERT INTO opening (section_id, version, poll_id, last_closed_at, seen_open_at)
       SELECT s.id, s.version + 1, ?, iif(p.is_opening, ${observedAt}, NULL), p.seen_at
       FROM proposal p CROSS JOIN section s ON s.id = p.section_id AND s.version = p.version
       JOIN section_group g ON g.id = s.group_id
       WHERE p.status = 'open' AND (p.is_opening OR s.new_watch_count > 0)
       ON CONFLICT DO NOTHING`,
    )
    .bind(list, pollId)
}

/** A row of history for each change, and one to start from at the first look. */
function keepHistory(db: D1Database, now: number, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${proposed}
       INSERT INTO seat_change (section_id, at, status, seats_available, capacity, waitlist_available)
       SELECT s.id, ?, p.status, p.seats_available, p.capacity, p.waitlist_available
       FROM proposal p CROSS JOIN section s ON s.id = p.section_id AND s.version = p.version
       WHERE p.is_changed OR NOT EXISTS (SELECT 1 FROM seat_change c WHERE c.section_id = s.id)`,
    )
    .bind(list, now)
}

function changeSections(db: D1Database, pollId: string, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${proposed}
       UPDATE section
       SET status = p.status, seats_available = p.seats_available, capacity = p.capacity,
           waitlist_available = p.waitlist_available, version = section.version + 1, poll_id = ?
       FROM proposal p
       WHERE section.id = p.section_id AND section.version = p.version
         AND (p.is_changed OR p.status = 'open' AND section.new_watch_count > 0)`,
    )
    .bind(list, pollId)
}

/** What is ours after the change: written by this very poll, or unchanged since it was read. */
const ours = `(s.poll_id = ? AND s.version = p.version + 1 OR NOT p.is_changed AND s.version = p.version)`

/**
 * One alert a watcher: all of them when the section turned open, only the new ones otherwise. Within ten minutes of the
 * watcher's last alert for the section it is held (no poll id, due at `release_at`); `releaseStatements` does the rest.
 */
function alertWatchers(db: D1Database, pollId: string, now: number, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${proposed}
       INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, reminder, created_at, release_at, poll_id)
       SELECT o.id, w.recipient_id, s.id, 'opening', 0, ?,
         iif(w.last_alert_at > ?, w.last_alert_at + ?, NULL), iif(w.last_alert_at > ?, NULL, ?)
       FROM proposal p CROSS JOIN section s ON s.id = p.section_id
       JOIN opening o ON o.section_id = s.id AND o.version = s.version
       JOIN watch w ON w.section_id = s.id AND w.archived_at IS NULL
       WHERE p.status = 'open' AND ${ours} AND (p.is_opening OR s.new_watch_count > 0)
         AND (w.is_new OR p.is_opening AND o.poll_id = ?)
       ON CONFLICT DO NOTHING`,
    )
    .bind(list, now, now - holdMs, holdMs, now - holdMs, pollId, pollId, pollId)
}

function endFirstLooks(db: D1Database, pollId: string, list: string): D1PreparedStatement {
  return db
    .prepare(
      `${proposed}
       UPDATE watch SET is_new = 0
       WHERE is_new AND archived_at IS NULL AND section_id IN (
         SELECT s.id FROM proposal p CROSS JOIN section s ON s.id = p.section_id WHERE s.new_watch_count > 0 AND ${ours})`,
    )
    .bind(list, pollId)
}

/**
 * One row a group, whatever was seen in it. The clock only moves forward, and not past a read or edit that came after we
 * read which sections to ask for: a section that was watched since then would seem fresher than it is. The source's watched groups are
 * visited by their index and look themselves up in the argument: that reads one row each, where a join with the list reads
 * four.
 */
function readGroups(db: D1Database, groups: readonly BelievedGroup[]): D1PreparedStatement {
  const clock = (index: number) => `(?1 ->> ('$."' || id || '"[${index}]'))`
  return db
    .prepare(
      `UPDATE section_group SET read_at = max(coalesce(read_at, 0), ${clock(0)}),
         asked_at = max(coalesce(asked_at, 0), ${clock(0)}), failures = 0, last_error = ${clock(2)}
       WHERE source_id = ?2 AND watch_count > 0 AND max(coalesce(read_at, 0), coalesce(edited_at, 0)) < ${clock(1)}`,
    )
    .bind(
      JSON.stringify(
        Object.fromEntries(
          groups.map(({ group_id, asked_at, known_at, absence }) => [
            group_id,
            [asked_at, known_at, absence?.why ?? null],
          ]),
        ),
      ),
      groups[0]?.source_id ?? null,
    )
}
