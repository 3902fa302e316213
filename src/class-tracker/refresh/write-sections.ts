import { jsonArguments } from '../../db/json-argument.ts'
import { absenceSentence, keepLastSeen } from '../polling/absence.ts'
import { recordObservations, type Recorded } from '../polling/record-observations.ts'
import { compareSections, type CataloguedSection, type GroupRead, type SectionWrite } from './compare-sections.ts'

/** The catalogue's own state of these groups, one row a section. */
export async function readCatalogued(db: D1Database, groupIds: readonly number[]): Promise<CataloguedSection[]> {
  const read = await db
    .prepare(
      `SELECT id, section_key, group_id, status, seats_available, capacity, waitlist_available, version, new_watch_count,
         watch_count, fingerprint, missing_since
       FROM section WHERE group_id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(groupIds))
    .all<CataloguedSection>()
  return read.results
}

/**
 * Writes what a refresh of some groups of one school's term found: courses and sections that are new or changed (two
 * statements an argument's worth, some two thousand sections), watched seats through the same gate as a poll, freshness of
 * the groups. An unchanged answer writes no row of sections. Safe to repeat.
 */
export async function writeSections(
  db: D1Database,
  tools: { poll_id: string; now: number; school_term_id: number },
  known: readonly CataloguedSection[],
  reads: readonly GroupRead[],
): Promise<Recorded> {
  const changes = compareSections(known, reads)
  for (const rows of jsonArguments(changes.writes.map(columnsOf))) {
    await db.batch(writeRows(db, tools.school_term_id, tools.now, rows))
  }
  if (changes.missing.length > 0) {
    await keepLastSeen(db, tools.now, changes.missing).run()
  }
  const counted = reads.map(({ group_id, sections, at }) => {
    return [group_id, sections.length, at, absenceSentence(changes.unseen.get(group_id) ?? [])]
  })
  await db
    .prepare(
      `UPDATE section_group SET section_count = g.value ->> 1, read_at = g.value ->> 2, asked_at = g.value ->> 2, failures = 0, last_error = g.value ->> 3
       FROM json_each(?) g WHERE section_group.id = g.value ->> 0`,
    )
    .bind(JSON.stringify(counted))
    .run()
  if (changes.proposals.length === 0) return { delivery_ids: [], held_until: [], openings: 0 }
  return recordObservations(db, tools.poll_id, tools.now, changes.proposals, [])
}

/** A section by position, to keep the argument small. */
function columnsOf({ group_id, subject_id, section, seats, instruction, fingerprint }: SectionWrite): unknown[] {
  return [
    group_id,
    subject_id,
    section.code,
    section.level,
    section.title,
    section.section_key,
    section.section,
    section.topic,
    seats.status,
    seats.seats_available,
    seats.capacity,
    seats.waitlist_available,
    instruction,
    section.instruction_mode,
    fingerprint,
  ]
}

/** @param rows JSON, see {@link columnsOf} */
function writeRows(db: D1Database, schoolTermId: number, now: number, rows: string): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT INTO course (subject_id, code, level, title)
         SELECT value ->> 1, value ->> 2, value ->> 3, max(value ->> 4) FROM json_each(?) GROUP BY 1, 2, 3
         ON CONFLICT (subject_id, code, level) DO UPDATE SET title = excluded.title WHERE title <> excluded.title`,
      )
      .bind(rows),
    // The seats of a watched section are left to the gate that makes openings of them.
    db
      .prepare(
        `INSERT INTO section (school_term_id, group_id, course_id, course_level, section_key, section, topic, status, seats_available, capacity,
           waitlist_available, instruction_list, instruction_mode, fingerprint, created_at)
         SELECT ?, r.value ->> 0, c.id, c.level, r.value ->> 5, r.value ->> 6, r.value ->> 7, r.value ->> 8, r.value ->> 9, r.value ->> 10,
           r.value ->> 11, r.value ->> 12, r.value ->> 13, r.value ->> 14, ?
         FROM json_each(?) r
         CROSS JOIN course c ON c.subject_id = r.value ->> 1 AND c.code = r.value ->> 2 AND c.level = r.value ->> 3
         WHERE true
         ON CONFLICT (school_term_id, section_key) DO UPDATE SET
           group_id = excluded.group_id, course_id = excluded.course_id, course_level = excluded.course_level, section = excluded.section, topic = excluded.topic,
           instruction_list = excluded.instruction_list, instruction_mode = excluded.instruction_mode,
           fingerprint = excluded.fingerprint, missing_since = NULL,
           version = version + (watch_count = 0 AND excluded.status <> 'unknown'),
           status = iif(watch_count > 0 OR excluded.status = 'unknown', status, excluded.status),
           seats_available = iif(watch_count > 0 OR excluded.status = 'unknown', seats_available, excluded.seats_available),
           capacity = iif(watch_count > 0 OR excluded.status = 'unknown', capacity, excluded.capacity),
           waitlist_available = iif(watch_count > 0 OR excluded.status = 'unknown', waitlist_available, excluded.waitlist_available)`,
      )
      .bind(schoolTermId, now, rows),
  ]
}
