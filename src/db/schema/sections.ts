import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { schoolTerm, source, subject } from './schools.ts'

/** What one search at a school returns: a subject in a term (and a career). The unit of polling and refreshing. */
export const sectionGroup = sqliteTable(
  'section_group',
  {
    id: integer().primaryKey(),
    sourceId: deletedWith(() => source.id),
    schoolTermId: deletedWith(() => schoolTerm.id),
    subjectId: deletedWith(() => subject.id),
    career: text().notNull().default(''),
    /** Active watches of its sections, counted by triggers. */
    watchCount: integer().notNull().default(0),
    /** The time (ms since epoch) just before the last believed read by a poll or refresh. It never moves backward. */
    readAt: integer(),
    /** The same for the last refresh; polls read only watched sections. */
    listedAt: integer(),
    /** When staff last set the status of one of its sections. */
    editedAt: integer(),
    /** The last time we asked, believed or not. */
    askedAt: integer(),
    /** When one of its watched sections last opened; it is polled more often for a while. */
    openedAt: integer(),
    failures: integer().notNull().default(0),
    lastError: text(),
    /** The number of sections in the last full refresh. */
    sectionCount: integer(),
  },
  (table) => [
    uniqueIndex('section_group_scope').on(table.schoolTermId, table.subjectId, table.career),
    index('section_group_subject').on(table.subjectId),
    index('section_group_watched')
      .on(table.sourceId)
      .where(sql`watch_count > 0`),
  ],
)

export const course = sqliteTable(
  'course',
  {
    id: integer().primaryKey(),
    subjectId: deletedWith(() => subject.id),
    code: text().notNull(),
    level: text().notNull(),
    title: text().notNull(),
  },
  (table) => [
    uniqueIndex('course_code').on(table.subjectId, table.code, table.level),
    index('course_name').on(sql`lower(${table.code} || ' ' || ${table.level})`),
    index('course_title').on(sql`lower(${table.title})`),
  ],
)

/** A section in a term. `status` … `waitlistAvailable` are the last believed observation; null figures are unknown. */
export const section = sqliteTable(
  'section',
  {
    id: integer().primaryKey(),
    schoolTermId: deletedWith(() => schoolTerm.id),
    groupId: deletedWith(() => sectionGroup.id),
    courseId: deletedWith(() => course.id),
    sectionKey: text().notNull(),
    /** The number that the school shows, if it is not the key (a CRN is, a Colleague synonym is not); otherwise ''. */
    number: text().notNull().default(''),
    /** A copy of the course's level, because the answer to a poll of one course is smaller. */
    courseLevel: text().notNull().default(''),
    section: text().notNull(),
    topic: text().notNull(),
    status: text({ enum: ['open', 'waitlisted', 'closed', 'unknown'] }).notNull(),
    seatsAvailable: integer(),
    /** Of `seatsAvailable`, those that anyone may take, if they are fewer: the others are reserved or shared. */
    seatsForAnyone: integer(),
    capacity: integer(),
    waitlistAvailable: integer(),
    /** JSON list of {name, days_times}. */
    instructionList: text().notNull(),
    instructionMode: text().notNull(),
    /** Its component, such as "Lecture". Here and below '' if the school did not say. */
    component: text().notNull().default(''),
    /** The part of the term: as people read it, and the school's code. */
    session: text().notNull().default(''),
    sessionCode: text().notNull().default(''),
    campus: text().notNull().default(''),
    place: text().notNull().default(''),
    /** First and last day of its classes, as 2026-08-28. */
    startsOn: text().notNull().default(''),
    endsOn: text().notNull().default(''),
    credits: text().notNull().default(''),
    /** JSON list of other facts that the school states: "combined", "permission". */
    flags: text().notNull().default(''),
    /** Fingerprint of everything but the seats, so that an unchanged refresh writes nothing. */
    fingerprint: text().notNull(),
    /** Rises with every change of status or figures; a poll's proposal counts only for the version it read. */
    version: integer().notNull().default(1),
    pollId: text(),
    /** Active watches, and those among them without a believed look at the section yet; counted by triggers. */
    watchCount: integer().notNull().default(0),
    newWatchCount: integer().notNull().default(0),
    /** When it was last listed (`observed_at`), while the believed answers leave it out: its status is then unknown. */
    missingSince: integer(),
    /**
     * When it was last believed (`observed_at`), while its row cannot be believed or the last reading of the whole term did
     * not list it: its status is then unknown.
     */
    unknownSince: integer(),
    /** When a reading of the whole term first did not list it, in ms; a second such reading makes it missing. */
    unlistedAt: integer(),
    /** When it was last believed (`observed_at`) as a watch of it ended; kept by triggers. */
    watchedReadAt: integer(),
    /** When a person last set it to open, in ms; null if one has set it to something else since. */
    setOpenAt: integer(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('section_key').on(table.schoolTermId, table.sectionKey),
    index('section_course').on(table.courseId),
    index('section_in_group').on(table.groupId),
    index('section_school_term').on(table.schoolTermId),
    index('section_number').on(sql`lower(${table.sectionKey})`),
    index('section_watched_id')
      .on(table.id)
      .where(sql`watch_count > 0`),
    index('section_unobserved')
      .on(table.groupId)
      .where(sql`watch_count > 0 AND coalesce(missing_since, unknown_since) IS NOT NULL`),
    // Covers the poll's read: one row per watched section and nothing else.
    index('section_watched')
      .on(
        table.groupId,
        table.sectionKey,
        table.status,
        table.seatsAvailable,
        table.seatsForAnyone,
        table.capacity,
        table.waitlistAvailable,
        table.version,
        table.newWatchCount,
        table.courseLevel,
      )
      .where(sql`watch_count > 0`),
  ],
)

/** Watched sections that the school's list calls open and the second look does not. */
export const doubtedOpening = sqliteTable(
  'doubted_opening',
  {
    sectionId: deletedWith(() => section.id).primaryKey(),
    sourceId: deletedWith(() => source.id),
    /** Rounds in a row in which the two disagreed; 0 if the second look told of people waiting. */
    rounds: integer().notNull(),
    doubtedAt: integer().notNull(),
  },
  (table) => [index('doubted_opening_source').on(table.sourceId)],
)

/** The history of watched sections: a row only when something changed. */
export const seatChange = sqliteTable(
  'seat_change',
  {
    id: integer().primaryKey(),
    sectionId: deletedWith(() => section.id),
    at: integer().notNull(),
    status: text({ enum: ['open', 'waitlisted', 'closed', 'unknown'] }).notNull(),
    seatsAvailable: integer(),
    capacity: integer(),
    waitlistAvailable: integer(),
  },
  (table) => [index('seat_change_section').on(table.sectionId, table.at)],
)
