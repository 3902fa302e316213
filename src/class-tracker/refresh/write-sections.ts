import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { isIn, jsonArguments } from '../../db/json-argument.ts'
import {
  constant,
  excluded,
  into,
  names,
  parameter,
  prepared,
  type Query,
  query,
  read,
  statement,
  writeTogether,
  setExcluded,
} from '../../db/query.ts'
import { course, section, sectionGroup } from '../../db/schema/index.ts'
import { recordAbsence, recordRefused } from '../polling/absence.ts'
import { recordObservations, type Recorded } from '../polling/record-observations.ts'
import { knownFields } from '../polling/watched-groups.ts'
import type { GroupRead, SectionChanges, SectionWrite, StoredSection } from './compare-sections.ts'
import { lastObservedOf } from '../courses/observed-at.ts'

/** The stored sections of some groups; read them before the school is asked. */
export async function readStoredSections(db: D1Database, groupIds: readonly number[]): Promise<StoredSection[]> {
  return read(db, selectStored().where(isIn(section.groupId, groupIds)))
}

/** The same for a school's whole term. */
export async function readStoredTerm(db: D1Database, schoolTermId: number): Promise<StoredSection[]> {
  return read(db, selectStored().where(sql`${section.schoolTermId} = ${schoolTermId}`))
}

const selectStored = () =>
  query
    .select({
      ...knownFields,
      watch_count: section.watchCount,
      fingerprint: section.fingerprint,
      missing_since: section.missingSince,
      unknown_since: section.unknownSince,
      unlisted_at: section.unlistedAt,
      created_at: section.createdAt,
    })
    .from(section)

/**
 * Writes the results of a refresh of some groups of one school's term: new or changed courses and sections (two
 * statements per two thousand sections or so), then in one batch watched seats, by the same rules as a poll's, and the
 * groups' own rows. An unchanged answer writes no section rows. Safe to repeat.
 * @param batch `statements`: further ones for the same batch
 * @param changes the result of `compareSections`, without what must not be written
 */
export async function writeSections(
  db: D1Database,
  batch: { poll_id: string; now: number; school_term_id: number; statements: readonly Query[] },
  reads: readonly GroupRead[],
  changes: SectionChanges,
): Promise<Recorded> {
  for (const rows of jsonArguments(changes.writes.map(columnsOf))) {
    await writeTogether(db, [
      writeCourses({ rows }),
      writeSectionRows({ rows, schoolTermId: batch.school_term_id, now: batch.now }),
    ])
  }
  return recordObservations(db, {
    pollId: batch.poll_id,
    now: batch.now,
    proposals: changes.proposals,
    groups: [],
    statements: [
      ...recordAbsence(changes.checked),
      ...recordRefused(changes.proposals),
      writeGroups(reads, changes),
      ...batch.statements,
    ],
  })
}

/** Read times only move forward, not past a read made after ours. Only the newest answer sets the error. */
function writeGroups(reads: readonly GroupRead[], { unseen, setAside }: SectionChanges): Query {
  const rows = reads
    .filter(({ group_id, is_part }) => !setAside.has(group_id) && is_part !== true)
    .map(({ group_id, sections, asked_at, known_at }) => [
      group_id,
      sections.length,
      asked_at,
      unseen.get(group_id) ?? null,
      known_at,
    ])
  const latest = (time: SQLiteColumn) => sql`max(coalesce(${time}, 0), read.value ->> 2)`
  const isNewer = (time: SQLiteColumn) =>
    sql`max(coalesce(${time}, 0), coalesce(${sectionGroup.editedAt}, 0)) < read.value ->> 4`
  const advanced = (time: SQLiteColumn) => sql`${names(time)} = iif(${isNewer(time)}, ${latest(time)}, ${time})`
  return statement(sql`UPDATE ${sectionGroup}
    SET ${names(sectionGroup.sectionCount)} = read.value ->> 1, ${names(sectionGroup.failures)} = 0,
      ${names(sectionGroup.lastError)} = iif(${isNewer(sectionGroup.readAt)}, read.value ->> 3, ${sectionGroup.lastError}),
      ${advanced(sectionGroup.listedAt)}, ${advanced(sectionGroup.readAt)},
      ${names(sectionGroup.askedAt)} = ${latest(sectionGroup.askedAt)}
    FROM json_each(${JSON.stringify(rows)}) read WHERE ${sectionGroup.id} = read.value ->> 0`)
}

/** @param rows JSON, see {@link columnsOf} */
const writeCourses = prepared(() =>
  statement(sql`INSERT INTO ${into(course, course.subjectId, course.code, course.level, course.title)}
    SELECT ${valueOf('subject_id')}, ${valueOf('code')}, ${valueOf('level')}, max(${valueOf('title')})
    FROM json_each(${parameter('rows')}) GROUP BY 1, 2, 3
    ON CONFLICT (${names(course.subjectId, course.code, course.level)}) DO UPDATE
    SET ${setExcluded(course.title)}
    WHERE ${course.title} <> ${excluded(course.title)} AND ${excluded(course.title)} <> ''`),
)

/**
 * A status is left out if the section now has another version, or if it was requested before the group's last listing
 * or edit: it is then older than what is stored. Text that the answer did not carry is left out too. If the status is
 * left out although the group counts as read, the section keeps the time of its own last read.
 * @param rows JSON, see {@link columnsOf}
 */
const writeSectionRows = prepared(() => {
  const isMoved = sql`${section.groupId} <> ${excluded(section.groupId)}`
  // If a section was in another group, its version was not read.
  const isOlder = sql`${section.version} <> ${excluded(section.version)} AND NOT ${isMoved}`
  // The seats of a watched section are left to `recordObservations`, which creates openings and notifies new watchers.
  const isKept = sql`${section.watchCount} > ${section.newWatchCount} OR ${excluded(section.status)} = 'unknown' OR ${isOlder}`
  const seats = [
    section.status,
    section.seatsAvailable,
    section.capacity,
    section.waitlistAvailable,
    section.seatsForAnyone,
  ]
  const isOther = sql.join(
    seats.map((column) => sql`${column} IS NOT ${excluded(column)}`),
    sql` OR `,
  )
  const at = (name: ValueName) => sql`listed.${valueOf(name)}`
  const unlessOlder = (name: ValueName, otherwise = sql`NULL`) =>
    sql`iif(max(coalesce(${sectionGroup.listedAt}, 0), coalesce(${sectionGroup.editedAt}, 0)) > ${at('asked_at')}, ${otherwise}, ${at(name)})`
  const set = (column: SQLiteColumn, isKeptNow: SQL) =>
    sql`${names(column)} = iif(${isKeptNow}, ${column}, ${excluded(column)})`
  const texts = [section.section, section.topic, section.instructionMode, ...detailColumns]
  const details = sql.join(
    detailColumns.map((_, index) => sql`listed.value ->> ${constant(valueNames.length + index)}`),
    sql`, `,
  )
  return statement(sql`INSERT INTO ${into(section, section.schoolTermId, section.groupId, section.courseId, section.courseLevel, section.sectionKey, section.section, section.topic, section.status, section.seatsAvailable, section.capacity, section.waitlistAvailable, section.seatsForAnyone, section.instructionList, section.instructionMode, section.fingerprint, section.version, section.createdAt, ...detailColumns)}
    SELECT ${parameter('schoolTermId')}, ${at('group_id')}, ${course.id}, ${course.level}, ${at('section_key')}, ${at('section')}, ${at('topic')},
      ${unlessOlder('status', sql`'unknown'`)}, ${unlessOlder('seats_available')}, ${unlessOlder('capacity')}, ${unlessOlder('waitlist_available')}, ${unlessOlder('seats_for_anyone')},
      ${at('instruction')}, ${at('instruction_mode')}, ${at('fingerprint')}, ${at('version')}, ${parameter('now')}, ${details}
    FROM json_each(${parameter('rows')}) listed
    CROSS JOIN ${sectionGroup} ON ${sectionGroup.id} = ${at('group_id')}
    CROSS JOIN ${course} ON ${course.subjectId} = ${at('subject_id')} AND ${course.code} = ${at('code')} AND ${course.level} = ${at('level')}
    WHERE true
    ON CONFLICT (${names(section.schoolTermId, section.sectionKey)}) DO UPDATE SET
      ${setExcluded(section.groupId, section.courseId, section.courseLevel, section.fingerprint)},
      ${sql.join(
        texts.map((column) => set(column, sql`${excluded(column)} = ''`)),
        sql`, `,
      )},
      ${set(section.instructionList, sql`${excluded(section.instructionList)} = '[]'`)},
      ${names(section.missingSince)} = iif(${isMoved}, NULL, ${section.missingSince}),
      ${names(section.unknownSince)} = CASE WHEN NOT ${isMoved} THEN ${section.unknownSince} WHEN ${isKept} THEN ${lastObservedOf(section)} END,
      ${names(section.version)} = ${section.version} + (NOT (${isKept}) AND (${isOther})),
      ${sql.join(
        seats.map((column) => set(column, isKept)),
        sql`, `,
      )}`)
})

/** The details of a section besides its course, title, instructors and seats, in the order of {@link columnsOf}. */
const detailColumns = [
  section.number,
  section.component,
  section.session,
  section.sessionCode,
  section.campus,
  section.place,
  section.startsOn,
  section.endsOn,
  section.credits,
  section.flags,
] as const

/** The first values of {@link columnsOf}, in its order; {@link detailColumns} follow. */
const valueNames = [
  'group_id',
  'subject_id',
  'code',
  'level',
  'title',
  'section_key',
  'section',
  'topic',
  'status',
  'seats_available',
  'capacity',
  'waitlist_available',
  'instruction',
  'instruction_mode',
  'fingerprint',
  'version',
  'asked_at',
  'seats_for_anyone',
] as const
type ValueName = (typeof valueNames)[number]

const valueOf = (name: ValueName): SQL => sql`value ->> ${constant(valueNames.indexOf(name))}`

/** A section to write as a list of values, to keep the argument small; '' for a detail that the answer leaves out. */
function columnsOf(write: SectionWrite): unknown[] {
  const { section: seats } = write
  const { listed } = seats
  return [
    write.group_id,
    write.subject_id,
    listed.code,
    listed.level,
    listed.title,
    listed.section_key,
    listed.section,
    listed.topic,
    seats.status,
    seats.seats_available,
    seats.capacity,
    seats.waitlist_available,
    write.instruction,
    listed.instruction_mode,
    write.fingerprint,
    write.version,
    write.asked_at,
    seats.seats_for_anyone,
    listed.number === listed.section_key ? '' : listed.number,
    listed.component ?? '',
    listed.session ?? '',
    listed.session_code ?? '',
    listed.campus ?? '',
    listed.place ?? '',
    listed.starts_on ?? '',
    listed.ends_on ?? '',
    listed.credits ?? '',
    listed.flags === undefined ? '' : JSON.stringify(listed.flags),
  ]
}
