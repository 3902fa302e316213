import { sql, type SQL } from 'drizzle-orm'
import { index, integer, primaryKey, type SQLiteColumn, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'

/**
 * The host in a URL, regardless of its port and path. Only URLs of this machine begin with http://; each of those
 * counts as its own host, because a simulated world has many schools on one.
 */
export const hostIn = (url: SQLiteColumn | SQL): SQL =>
  sql`CASE WHEN substr(${url}, 5, 1) = ':' THEN ${url}
    ELSE rtrim(rtrim(lower(substr(${url}, 1, instr(substr(${url}, 9) || '/', '/') + 7)), '0123456789'), ':') END`

/** A school system we read: its protocol, address, pace and health. */
export const source = sqliteTable(
  'source',
  {
    id: integer().primaryKey(),
    kind: text().notNull(),
    name: text().notNull().unique(),
    url: text().notNull(),
    timeZone: text().notNull(),
    pollSeconds: integer().notNull().default(60),
    requestsPerMinute: integer().notNull().default(60),
    /** JSON object of further settings, e.g. {"mepCode":"CSU"}. */
    settings: text().notNull().default('{}'),
    isEnabled: integer({ mode: 'boolean' }).notNull().default(true),
    /** Failed polls in a row; after 5 the source is paused with increasing delays. */
    failures: integer().notNull().default(0),
    pausedUntil: integer(),
    /** When the school's `Retry-After` is over. The source is paused at least as long. */
    limitedUntil: integer(),
    lastGoodAt: integer(),
    lastFailedAt: integer(),
    lastError: text(),
    /** Requests the last whole round took: the effective interval follows from it. */
    requestsARound: integer(),
    /** What the last poll left for the next, such as the length of a list. */
    pollMemo: text(),
    termsRefreshedAt: integer(),
    termsRefreshedBy: text(),
    sectionsRefreshedAt: integer(),
    sectionsRefreshedBy: text(),
    /** Whether a section is checked once more before the first message that it is open. */
    isSecondLookOn: integer({ mode: 'boolean' }).notNull().default(true),
    /** Second looks in a row that the list contradicted for three rounds; after 5 they are turned off. */
    overruledLookCount: integer().notNull().default(0),
    /** Openings that the second look did not confirm. */
    flickerCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
  },
  (table) => [index('source_host').on(hostIn(table.url))],
)

/** A notice for staff about a source. One of a kind is open at a time. */
export const sourceNotice = sqliteTable(
  'source_notice',
  {
    id: integer().primaryKey(),
    sourceId: deletedWith(() => source.id),
    kind: text({ enum: ['mass_opening', 'second_look_off'] }).notNull(),
    body: text().notNull(),
    createdAt: integer().notNull(),
    dismissedAt: integer(),
  },
  (table) => [
    uniqueIndex('source_notice_open')
      .on(table.sourceId, table.kind)
      .where(sql`dismissed_at IS NULL`),
  ],
)

export const school = sqliteTable(
  'school',
  {
    id: integer().primaryKey(),
    sourceId: deletedWith(() => source.id),
    /** The school's own code at its source; '' where the source is one school. */
    code: text().notNull(),
    name: text().notNull(),
    /** Listed first wherever a school is chosen. */
    isPreferred: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    uniqueIndex('school_code').on(table.sourceId, table.code),
    index('school_name').on(sql`lower(${table.name})`),
  ],
)

/** A year and season, shared by all schools. */
export const term = sqliteTable(
  'term',
  {
    id: integer().primaryKey(),
    year: integer().notNull(),
    season: text().notNull(),
    fullTermName: text().notNull(),
    /** Listed first wherever a term is chosen. */
    isPreferred: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [uniqueIndex('term_year_season').on(table.year, table.season)],
)

/** One school's own term, under its own code. A school may run several in one season. */
export const schoolTerm = sqliteTable(
  'school_term',
  {
    id: integer().primaryKey(),
    schoolId: deletedWith(() => school.id),
    termId: integer()
      .notNull()
      .references(() => term.id),
    code: text().notNull(),
    name: text().notNull(),
    isAvailable: integer({ mode: 'boolean' }).notNull(),
    /** Whether staff decided `isAvailable`, so that what the school says no longer changes it. */
    isAvailabilityKept: integer({ mode: 'boolean' }).notNull().default(false),
    /** Its last day according to the school, as 2026-12-22; '' if the school does not say. */
    endsOn: text().notNull().default(''),
    /** First moment (ms since epoch) at which the term is over in the source's time zone. */
    endsAt: integer().notNull(),
    subjectsRefreshedAt: integer(),
    sectionsRefreshedAt: integer(),
    /** The number of sections in the last full refresh, from which the cost of paging through the term follows. */
    sectionCount: integer(),
    /** When (ms since epoch) the school's list of terms first lacked it; null if the last one had it. */
    absentSince: integer(),
  },
  (table) => [
    uniqueIndex('school_term_code').on(table.schoolId, table.code),
    index('school_term_term').on(table.termId),
  ],
)

export const subject = sqliteTable(
  'subject',
  {
    id: integer().primaryKey(),
    schoolId: deletedWith(() => school.id),
    key: text().notNull(),
    name: text().notNull(),
  },
  (table) => [
    uniqueIndex('subject_key').on(table.schoolId, table.key),
    index('subject_name').on(sql`lower(${table.name})`),
  ],
)

/** An instructor at a school, by the name its sections give. */
export const instructor = sqliteTable(
  'instructor',
  {
    id: integer().primaryKey(),
    schoolId: deletedWith(() => school.id),
    name: text().notNull(),
  },
  (table) => [
    uniqueIndex('instructor_name').on(table.schoolId, table.name),
    index('instructor_name_text').on(sql`lower(${table.name})`),
    index('instructor_school').on(table.schoolId),
  ],
)

export const instructorSubject = sqliteTable(
  'instructor_subject',
  {
    subjectId: deletedWith(() => subject.id),
    instructorId: deletedWith(() => instructor.id),
  },
  (table) => [
    primaryKey({ columns: [table.subjectId, table.instructorId] }),
    index('instructor_subject_instructor').on(table.instructorId),
  ],
)

/** When a term's instructors were last read from its sections. */
export const instructorRefresh = sqliteTable('instructor_refresh', {
  schoolTermId: deletedWith(() => schoolTerm.id).primaryKey(),
  sectionsRefreshedAt: integer().notNull(),
})
