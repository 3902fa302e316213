import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { course, school, schoolTerm, subject } from './catalogue.ts'
import { discordUser } from './discord.ts'

/**
 * A Discord server somebody submitted an invite of. It is listed while it is active and `valid_invite_count` (approved, living
 * invites; kept by triggers) is above zero. What waits for approval is on its {@link invite}, never here.
 */
export const discordServer = sqliteTable(
  'discord_server',
  {
    id: integer().primaryKey(),
    /** Discord's id. */
    serverId: text().notNull().unique(),
    name: text().notNull(),
    customTitle: text().notNull().default(''),
    description: text().notNull().default(''),
    /** The hash in its picture's address. */
    icon: text(),
    memberCount: integer().notNull().default(0),
    onlineCount: integer().notNull().default(0),
    privacyLevel: text().notNull(),
    isActive: integer({ mode: 'boolean' }).notNull().default(true),
    isRequiredForTrust: integer({ mode: 'boolean' }).notNull().default(false),
    isGeneralServer: integer({ mode: 'boolean' }).notNull().default(false),
    validInviteCount: integer().notNull().default(0),
    /** By its first course, then its name; written with the words. */
    sortKey: text().notNull().default(''),
    /** Rises, by triggers, with everything its words and sort key are made of; `indexedVersion` is that of the present ones. */
    version: integer().notNull().default(1),
    indexedVersion: integer().notNull().default(0),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('discord_server_name').on(sql`lower(${table.name})`),
    index('discord_server_custom_title').on(sql`lower(${table.customTitle})`),
    index('discord_server_inactive')
      .on(table.id)
      .where(sql`NOT is_active`),
    index('discord_server_unindexed')
      .on(table.id)
      .where(sql`version <> indexed_version`),
    index('discord_server_trusted')
      .on(table.serverId)
      .where(sql`is_required_for_trust`),
  ],
)

/**
 * A link to a server, under its canonical code. `state`: pending → approved | rejected | expired. The academic columns are what
 * its submitter said: an approval applies them to the server.
 */
export const invite = sqliteTable(
  'invite',
  {
    id: integer().primaryKey(),
    code: text().notNull(),
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    /** Null when the account is gone. */
    submitterId: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    state: text().notNull().default('pending'),
    notesMd: text().notNull().default(''),
    privacyLevel: text().notNull(),
    schoolId: integer().references(() => school.id, { onDelete: 'set null' }),
    subjectId: integer().references(() => subject.id, { onDelete: 'set null' }),
    isValid: integer({ mode: 'boolean' }).notNull().default(true),
    expiresAt: integer(),
    usesCount: integer().notNull().default(0),
    createdAt: integer().notNull(),
    decidedAt: integer(),
    decidedBy: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    /** Names the act that decided, so that what follows from it happens once. */
    decisionKey: text(),
    /** The manager's, for a rejection. */
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
  ],
)

/** Somebody who teaches at a school, by the name its sections give. */
export const instructor = sqliteTable(
  'instructor',
  {
    id: integer().primaryKey(),
    schoolId: integer()
      .notNull()
      .references(() => school.id, { onDelete: 'cascade' }),
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
    subjectId: integer()
      .notNull()
      .references(() => subject.id, { onDelete: 'cascade' }),
    instructorId: integer()
      .notNull()
      .references(() => instructor.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.subjectId, table.instructorId] }),
    index('instructor_subject_instructor').on(table.instructorId),
  ],
)

/** When a term's instructors were last read from its sections. */
export const instructorRefresh = sqliteTable('instructor_refresh', {
  schoolTermId: integer()
    .primaryKey()
    .references(() => schoolTerm.id, { onDelete: 'cascade' }),
  sectionsRefreshedAt: integer().notNull(),
})

export const inviteCourse = sqliteTable(
  'invite_course',
  {
    inviteId: integer()
      .notNull()
      .references(() => invite.id, { onDelete: 'cascade' }),
    courseId: integer()
      .notNull()
      .references(() => course.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.inviteId, table.courseId] }),
    index('invite_course_course').on(table.courseId),
  ],
)

export const inviteInstructor = sqliteTable(
  'invite_instructor',
  {
    inviteId: integer()
      .notNull()
      .references(() => invite.id, { onDelete: 'cascade' }),
    instructorId: integer()
      .notNull()
      .references(() => instructor.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.inviteId, table.instructorId] }),
    index('invite_instructor_instructor').on(table.instructorId),
  ],
)

/** What a listed server is for. `invite_id` is the invite whose approval brought the link; null: an administrator did. */
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

/** Derived, by triggers: a row for each school of a listed server, and one for all schools (0). A page reads only its own rows. */
export const listing = sqliteTable(
  'listing',
  {
    schoolId: integer().notNull(),
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
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

/** Derived: the words a listed server is found by. */
export const serverWord = sqliteTable(
  'server_word',
  {
    word: text().notNull(),
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.word, table.serverId] }), index('server_word_server').on(table.serverId)],
)

/** Every decision about an invite, also those taken back. */
export const inviteDecision = sqliteTable(
  'invite_decision',
  {
    id: integer().primaryKey(),
    inviteId: integer()
      .notNull()
      .references(() => invite.id, { onDelete: 'cascade' }),
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

/** Somebody joined: at most once an hour a person. `visitor` is `user:` and the user's id, or the SHA-256 of a visitor's cookie. */
export const inviteUse = sqliteTable(
  'invite_use',
  {
    id: integer().primaryKey(),
    inviteId: integer()
      .notNull()
      .references(() => invite.id, { onDelete: 'cascade' }),
    visitor: text().notNull(),
    usedAt: integer().notNull(),
  },
  (table) => [
    index('invite_use_visitor').on(table.inviteId, table.visitor, table.usedAt),
    index('invite_use_at').on(table.inviteId, table.usedAt),
  ],
)

/** A code that lets somebody new have an account. The database itself refuses more uses than it is for. */
export const referral = sqliteTable(
  'referral',
  {
    id: integer().primaryKey(),
    code: text().notNull().unique(),
    ownerId: integer()
      .notNull()
      .references(() => discordUser.id, { onDelete: 'cascade' }),
    /** 0: unlimited */
    maxUses: integer().notNull(),
    numUses: integer().notNull().default(0),
    expiryTimeframe: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(),
    revokedAt: integer(),
  },
  (table) => [index('referral_owner').on(table.ownerId, table.createdAt)],
)

/** Who came by a referral: one use a person, however often they try. */
export const redemption = sqliteTable(
  'redemption',
  {
    id: integer().primaryKey(),
    referralId: integer()
      .notNull()
      .references(() => referral.id, { onDelete: 'cascade' }),
    discordId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('redemption_person').on(table.referralId, table.discordId),
    index('redemption_discord').on(table.discordId),
  ],
)

/** Something is wrong with a server. */
export const serverReport = sqliteTable(
  'server_report',
  {
    id: integer().primaryKey(),
    serverId: integer()
      .notNull()
      .references(() => discordServer.id, { onDelete: 'cascade' }),
    reporterId: integer()
      .notNull()
      .references(() => discordUser.id, { onDelete: 'cascade' }),
    reason: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('server_report_reporter').on(table.serverId, table.reporterId, table.createdAt),
    index('server_report_user').on(table.reporterId),
  ],
)

/** A message of the directory to one person. */
export const notice = sqliteTable(
  'notice',
  {
    id: integer().primaryKey(),
    discordUserId: integer()
      .notNull()
      .references(() => discordUser.id, { onDelete: 'cascade' }),
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

/** When somebody last chose their school. */
export const schoolChoice = sqliteTable('school_choice', {
  discordUserId: integer()
    .primaryKey()
    .references(() => discordUser.id, { onDelete: 'cascade' }),
  chosenAt: integer().notNull(),
})

/** What Discord last said of a code: a popular code costs one call. `answer` is JSON of what we keep of it; null: unknown code. */
export const inviteLookup = sqliteTable(
  'invite_lookup',
  {
    code: text().primaryKey(),
    answer: text(),
    fetchedAt: integer().notNull(),
  },
  (table) => [index('invite_lookup_fetched').on(table.fetchedAt)],
)
