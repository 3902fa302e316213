import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { discordUser } from './discord.ts'
import { instructor, school, subject } from './schools.ts'
import { course } from './sections.ts'
import { discordServer } from './servers.ts'
import { lastingId } from './new-id.ts'

/**
 * A link to a server, under its canonical code. `state`: pending → approved | rejected | expired. The academic columns
 * are what its submitter said: an approval applies them to the server.
 */
export const invite = sqliteTable(
  'invite',
  {
    id: lastingId('invite'),
    code: text().notNull(),
    serverId: deletedWith(() => discordServer.id),
    /** Null when the account is gone. */
    submitterId: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    state: text({ enum: ['pending', 'approved', 'rejected', 'expired'] })
      .notNull()
      .default('pending'),
    notesMd: text().notNull().default(''),
    privacyLevel: text({ enum: ['public', 'private'] }).notNull(),
    schoolId: integer().references(() => school.id, { onDelete: 'set null' }),
    subjectId: integer().references(() => subject.id, { onDelete: 'set null' }),
    isValid: integer({ mode: 'boolean' }).notNull().default(true),
    expiresAt: integer(),
    usesCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
    decidedAt: integer(),
    decidedBy: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    /** Id of the act that decided, so that its consequences happen once. */
    decisionKey: text(),
    /** The manager's reason for a rejection. */
    reason: text().notNull().default(''),
    checkedAt: integer(),
    dueAt: integer().notNull(),
    failures: integer().notNull().default(0),
    firstFailedAt: integer(),
    /** When another server was found behind the link. */
    quarantinedAt: integer(),
  },
  (table) => [
    uniqueIndex('invite_code')
      .on(table.code)
      .where(sql`state IN ('pending', 'approved')`),
    index('invite_code_text').on(sql`lower(${table.code})`),
    index('invite_state').on(table.state),
    index('invite_server').on(table.serverId, table.state),
    index('invite_submitter').on(table.submitterId, table.createdAt),
    index('invite_pending')
      .on(table.createdAt)
      .where(sql`state = 'pending'`),
    index('invite_due')
      .on(table.dueAt)
      .where(sql`state IN ('pending', 'approved')`),
    index('invite_decision_key').on(table.decisionKey),
    index('invite_decided_by').on(table.decidedBy),
    index('invite_school').on(table.schoolId),
    index('invite_subject').on(table.subjectId),
    check('invite_state', sql`state IN ('pending', 'approved', 'rejected', 'expired')`),
    check('invite_privacy_level', sql`privacy_level IN ('public', 'private')`),
  ],
)

export const inviteCourse = sqliteTable(
  'invite_course',
  {
    inviteId: deletedWith(() => invite.id),
    courseId: deletedWith(() => course.id),
  },
  (table) => [
    primaryKey({ columns: [table.inviteId, table.courseId] }),
    index('invite_course_course').on(table.courseId),
  ],
)

export const inviteInstructor = sqliteTable(
  'invite_instructor',
  {
    inviteId: deletedWith(() => invite.id),
    instructorId: deletedWith(() => instructor.id),
  },
  (table) => [
    primaryKey({ columns: [table.inviteId, table.instructorId] }),
    index('invite_instructor_instructor').on(table.instructorId),
  ],
)

/** Every decision about an invite, including those undone. */
export const inviteDecision = sqliteTable(
  'invite_decision',
  {
    id: integer().primaryKey(),
    inviteId: deletedWith(() => invite.id),
    decision: text().notNull(),
    decidedBy: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    reason: text().notNull().default(''),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('invite_decision_invite').on(table.inviteId, table.createdAt),
    index('invite_decision_by').on(table.decidedBy),
  ],
)

/** A join, at most one an hour a person. `visitor`: `user:` and an id, or a keyed hash of address, invite and hour. */
export const inviteUse = sqliteTable(
  'invite_use',
  {
    id: integer().primaryKey(),
    inviteId: deletedWith(() => invite.id),
    visitor: text().notNull(),
    usedAt: integer().notNull(),
  },
  (table) => [
    index('invite_use_visitor').on(table.inviteId, table.visitor, table.usedAt),
    index('invite_use_at').on(table.inviteId, table.usedAt),
  ],
)

/** Discord's last answer about a code, so that a popular one costs one call: JSON of what we keep; null: unknown. */
export const inviteLookup = sqliteTable(
  'invite_lookup',
  {
    code: text().primaryKey(),
    answer: text(),
    fetchedAt: integer().notNull(),
  },
  (table) => [index('invite_lookup_fetched').on(table.fetchedAt)],
)

export const notice = sqliteTable(
  'notice',
  {
    id: integer().primaryKey(),
    discordUserId: deletedWith(() => discordUser.id),
    /** approved, rejected, expired, invalid, quarantined, restored, report */
    kind: text().notNull(),
    title: text().notNull(),
    body: text().notNull(),
    url: text().notNull().default(''),
    inviteId: integer().references(() => invite.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    readAt: integer(),
  },
  (table) => [
    index('notice_of_user').on(table.discordUserId, table.createdAt),
    index('notice_unread')
      .on(table.discordUserId, table.createdAt)
      .where(sql`read_at IS NULL`),
    index('notice_invite').on(table.inviteId),
  ],
)
