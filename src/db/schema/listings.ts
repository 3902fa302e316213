import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { invite } from './invites.ts'
import { instructor, school, subject } from './schools.ts'
import { course } from './sections.ts'
import { discordServer } from './servers.ts'

/** What a listed server is for. `invite_id`: the invite whose approval brought the link; null: an administrator did. */
export const serverSchool = sqliteTable(
  'server_school',
  {
    serverId: deletedWith(() => discordServer.id),
    schoolId: deletedWith(() => school.id),
    inviteId: integer().references(() => invite.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.schoolId] }),
    index('server_school_school').on(table.schoolId),
    index('server_school_invite').on(table.inviteId),
  ],
)

export const serverSubject = sqliteTable(
  'server_subject',
  {
    serverId: deletedWith(() => discordServer.id),
    subjectId: deletedWith(() => subject.id),
    inviteId: integer().references(() => invite.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.subjectId] }),
    index('server_subject_subject').on(table.subjectId),
    index('server_subject_invite').on(table.inviteId),
  ],
)

export const serverCourse = sqliteTable(
  'server_course',
  {
    serverId: deletedWith(() => discordServer.id),
    courseId: deletedWith(() => course.id),
    inviteId: integer().references(() => invite.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.courseId] }),
    index('server_course_course').on(table.courseId),
    index('server_course_invite').on(table.inviteId),
  ],
)

export const serverInstructor = sqliteTable(
  'server_instructor',
  {
    serverId: deletedWith(() => discordServer.id),
    instructorId: deletedWith(() => instructor.id),
    inviteId: integer().references(() => invite.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.instructorId] }),
    index('server_instructor_instructor').on(table.instructorId),
    index('server_instructor_invite').on(table.inviteId),
  ],
)

/** Derived, by triggers: a row for each school of a listed server, and one for all schools (0). */
export const listing = sqliteTable(
  'listing',
  {
    schoolId: integer().notNull(),
    serverId: deletedWith(() => discordServer.id),
    isPrivate: integer({ mode: 'boolean' }).notNull(),
    /** 0 featured, 1 not */
    rank: integer().notNull(),
    sortKey: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.schoolId, table.serverId] }),
    index('listing_server').on(table.serverId),
    index('listing_order').on(table.schoolId, table.rank, table.sortKey, table.serverId),
    index('listing_public_order')
      .on(table.schoolId, table.rank, table.sortKey, table.serverId)
      .where(sql`NOT is_private`),
    index('listing_newest').on(table.schoolId, table.rank, table.isPrivate, table.createdAt),
  ],
)

/** Derived, by triggers: how many rows of {@link listing} a school has, so that no page counts them. */
export const listingCount = sqliteTable(
  'listing_count',
  {
    schoolId: integer().notNull(),
    isPrivate: integer({ mode: 'boolean' }).notNull(),
    servers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.schoolId, table.isPrivate] })],
)

/** Derived, by triggers: how many rows of {@link listing} have a subject; rows that reach zero are removed. */
export const listingSubject = sqliteTable(
  'listing_subject',
  {
    schoolId: integer().notNull(),
    isPrivate: integer({ mode: 'boolean' }).notNull(),
    subjectId: integer().notNull(),
    servers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.schoolId, table.isPrivate, table.subjectId] })],
)

/** Derived, by triggers: how many rows of {@link listing} have a course; rows that reach zero are removed. */
export const listingCourse = sqliteTable(
  'listing_course',
  {
    schoolId: integer().notNull(),
    isPrivate: integer({ mode: 'boolean' }).notNull(),
    courseId: integer().notNull(),
    servers: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.schoolId, table.isPrivate, table.courseId] })],
)

/**
 * Derived, by triggers: where every 1000th row of {@link listing} stands in display order, by school, with private
 * servers or among public ones alone. A page far from the first starts at its mark.
 */
export const listingMark = sqliteTable(
  'listing_mark',
  {
    schoolId: integer().notNull(),
    withPrivate: integer({ mode: 'boolean' }).notNull(),
    /** Its place, counted from 0, is 1000 times this. */
    number: integer().notNull(),
    rank: integer().notNull(),
    sortKey: text().notNull(),
    serverId: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.schoolId, table.withPrivate, table.number] })],
)

/** Derived, by triggers: how many servers have a word; rows that reach zero are removed. */
export const wordCount = sqliteTable('word_count', { word: text().primaryKey(), servers: integer().notNull() })

/** Derived: the words that find a listed server. */
export const serverWord = sqliteTable(
  'server_word',
  {
    word: text().notNull(),
    serverId: deletedWith(() => discordServer.id),
  },
  (table) => [primaryKey({ columns: [table.word, table.serverId] }), index('server_word_server').on(table.serverId)],
)
