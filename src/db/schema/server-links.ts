import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'
import { instructor } from './instructors.ts'
import { invite } from './invites.ts'
import { school, subject } from './schools.ts'
import { course } from './sections.ts'
import { discordServer } from './servers.ts'

/**
 * The schools, subjects and courses of a listed server. `invite_id` is the invite whose approval brought the link;
 * null: an administrator did.
 */
export const serverSchool = sqliteTable(
  'server_school',
  {
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    schoolId: integer()
      .notNull()
      .references(() => school.id, { onDelete: 'cascade' }),
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
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    subjectId: integer()
      .notNull()
      .references(() => subject.id, { onDelete: 'cascade' }),
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
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    courseId: integer()
      .notNull()
      .references(() => course.id, { onDelete: 'cascade' }),
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
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    instructorId: integer()
      .notNull()
      .references(() => instructor.id, { onDelete: 'cascade' }),
    inviteId: integer().references(() => invite.id, { onDelete: 'set null' }),
  },
  (table) => [
    primaryKey({ columns: [table.serverId, table.instructorId] }),
    index('server_instructor_instructor').on(table.instructorId),
    index('server_instructor_invite').on(table.inviteId),
  ],
)
