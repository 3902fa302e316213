import type { Query } from '../../db/query.ts'
import { jsonArguments } from '../../db/json-argument.ts'
import { observedAt } from '../courses/observed-at.ts'
import { absenceStatements } from '../polling/absence.ts'
import { recordObservations, type Recorded } from '../polling/record-observations.ts'
import {
  type CatalogueChanges,
  type CataloguedSection,
  compareSections,
  type GroupRead,
  type SectionWrite,
} from './compare-sections.ts'

/** The catalogue's own state of some groups, one row a section: to be read before the school is asked. */
export async function readCatalogued(db: D1Database, groupIds: readonly number[]): Promise<CataloguedSection[]> {
  const read = await db
    .prepare(
      `SELECT id, section_key, group_id, status, seats_available, capacity, waitlist_available, version, new_watch_count,
         watch_count, fingerprint, missing_since, unknown_since
       FROM section WHERE group_id IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(groupIds))
    .all<CataloguedSection>()
  return read.results
}

/**
 * Writes what a refresh of some groups of one school's term found: courses and sections that are new or changed (two
 * statements an argument's worth, some two thousand sections), then in one batch watched seats, through the same gate as a
 * poll, and the groups' own rows. An unchanged answer writes no row of sections. Safe to repeat.
 * @param changes what {@link compareSections} makes of the reads, less what is not to be written
 */
export async function writeSections(
  db: D1Database,
  tools: { poll_id: string; now: number; school_term_id: number },
  reads: readonly GroupRead[],
  changes = compareSections(reads),
  along: readonly Query[] = [],
): Promise<Recorded> {
  for (const rows of jsonArguments(changes.writes.map(columnsOf))) {
    await db.batch(writeRows(db, tools.school_term_id, tools.now, rows))
  }
  return recordObservations(
    db,
    tools.poll_id,
    tools.now,
    changes.proposals,
    [],
    [...absenceStatements(changes.looked), writeGroups(db, reads, changes), ...along],
  )
}

/**
 * The groups' clocks only move forward, and not past a read that came after we read what we know: whatever that read changed
 * was not overwritten. Only the newest answer says what was wrong.
 */
function writeGroups(
  db: D1Database,
  reads: readonly GroupRead[],
  { unseen, setAside }: CatalogueChanges,
): D1PreparedStatement {
  const rows = reads
    .filter(({ group_id }) => !setAside.has(group_id))
    .map(({ group_id, sections, asked_at, known_at }) => [
      group_id,
      sections.length,
      asked_at,
      unseen.get(group_id) ?? null,
      known_at,
    ])
  const forward = (clock: string) =>
    `${clock} = iif(max(coalesce(${clock}, 0), coalesce(edited_at, 0)) < g.value ->> 4, max(coalesce(${clock}, 0), g.value ->> 2), ${clock})`
  return db
    .prepare(
      `UPDATE section_group
       SET section_count = g.value ->> 1, failures = 0,
         last_error = iif(max(coalesce(read_at, 0), coalesce(edited_at, 0)) < g.value ->> 4, g.value ->> 3, last_error),
         ${forward('listed_at')}, ${forward('read_at')},
         asked_at = max(coalesce(asked_at, 0), g.value ->> 2)
       FROM json_each(?) g WHERE section_group.id = g.value ->> 0`,
    )
    .bind(JSON.stringify(rows))
}

/** A section by position, to keep the argument small. */
function columnsOf({
  group_id,
  subject_id,
  section,
  version,
  instruction,
  fingerprint,
  asked_at,
}: SectionWrite): unknown[] {
  return [
    group_id,
    subject_id,
    section.code,
    section.level,
    section.title,
    section.section_key,
    section.section,
    section.topic,
    section.status,
    section.seats_available,
    section.capacity,
    section.waitlist_available,
    instruction,
    section.instruction_mode,
    fingerprint,
    version,
    asked_at,
  ]
}

/**
 * A status that was read at another version than the section has now, or asked for before the group's last listing, is
 * older than what is held, and is left out; so is every text that the answer did not carry. Where the answer's status is
 * left out although the group's clock will say that it was read, the section keeps the time of its own last read.
 * @param rows JSON, see {@link columnsOf}
 */
function writeRows(db: D1Database, schoolTermId: number, now: number, rows: string): D1PreparedStatement[] {
  const isMoved = 'section.group_id <> excluded.group_id'
  // The version of a section that another group held was not read.
  const isOlder = `section.version <> excluded.version AND NOT ${isMoved}`
  // The seats of a watched section are left to the gate that makes openings of them; a first look notifies new watchers.
  const isKept = `watch_count > new_watch_count OR excluded.status = 'unknown' OR ${isOlder}`
  const seats = ['status', 'seats_available', 'capacity', 'waitlist_available']
  const isOther = seats.map((column) => `section.${column} IS NOT excluded.${column}`).join(' OR ')
  const ownReadAt = `coalesce((SELECT ${observedAt} FROM section s JOIN section_group g ON g.id = s.group_id
    WHERE s.id = section.id), section.created_at)`
  const unlessOlder = (column: number, otherwise = 'NULL') =>
    `iif(coalesce(held.listed_at, 0) > r.value ->> 16, ${otherwise}, r.value ->> ${column})`
  const texts = ['section', 'topic', 'instruction_mode']
  return [
    db
      .prepare(
        `INSERT INTO course (subject_id, code, level, title)
         SELECT value ->> 1, value ->> 2, value ->> 3, max(value ->> 4) FROM json_each(?) GROUP BY 1, 2, 3
         ON CONFLICT (subject_id, code, level) DO UPDATE SET title = excluded.title
         WHERE title <> excluded.title AND excluded.title <> ''`,
      )
      .bind(rows),
    db
      .prepare(
        `INSERT INTO section (school_term_id, group_id, course_id, course_level, section_key, section, topic, status, seats_available, capacity,
           waitlist_available, instruction_list, instruction_mode, fingerprint, version, created_at)
         SELECT ?, r.value ->> 0, c.id, c.level, r.value ->> 5, r.value ->> 6, r.value ->> 7, ${unlessOlder(8, "'unknown'")}, ${unlessOlder(9)}, ${unlessOlder(10)},
           ${unlessOlder(11)}, r.value ->> 12, r.value ->> 13, r.value ->> 14, r.value ->> 15, ?
         FROM json_each(?) r
         CROSS JOIN section_group held ON held.id = r.value ->> 0
         CROSS JOIN course c ON c.subject_id = r.value ->> 1 AND c.code = r.value ->> 2 AND c.level = r.value ->> 3
         WHERE true
         ON CONFLICT (school_term_id, section_key) DO UPDATE SET
           group_id = excluded.group_id, course_id = excluded.course_id, course_level = excluded.course_level,
           ${texts.map((column) => `${column} = iif(excluded.${column} = '', ${column}, excluded.${column})`).join(', ')},
           instruction_list = iif(excluded.instruction_list = '[]', instruction_list, excluded.instruction_list),
           fingerprint = excluded.fingerprint,
           missing_since = iif(${isMoved}, NULL, missing_since),
           unknown_since = CASE WHEN NOT ${isMoved} THEN unknown_since
             WHEN ${isKept} THEN ${ownReadAt} END,
           version = version + (NOT (${isKept}) AND (${isOther})),
           ${seats.map((column) => `${column} = iif(${isKept}, ${column}, excluded.${column})`).join(', ')}`,
      )
      .bind(schoolTermId, now, rows),
  ]
}
