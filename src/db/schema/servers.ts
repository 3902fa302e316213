import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { deletedWith } from './deleted-with.ts'
import { discordUser } from './discord.ts'
import { lastingId } from './new-id.ts'

/**
 * A Discord server for which an invite was submitted. It is listed while it is active and `valid_invite_count`
 * (approved, living invites; kept by triggers) is above zero. Data that waits for approval is on its {@link invite},
 * never here.
 */
export const discordServer = sqliteTable(
  'discord_server',
  {
    id: lastingId('discord_server'),
    /** Discord's id. */
    serverId: text().notNull().unique(),
    name: text().notNull(),
    customTitle: text().notNull().default(''),
    description: text().notNull().default(''),
    /** The hash in its icon's address. */
    icon: text(),
    memberCount: integer().notNull().default(0),
    onlineCount: integer().notNull().default(0),
    /** When Discord reported `onlineCount`; null if it never did. */
    onlineCountedAt: integer(),
    privacyLevel: text({ enum: ['public', 'private'] }).notNull(),
    /** The privacy an administrator last chose, which later approvals may replace; null if none did. */
    adminPrivacyLevel: text({ enum: ['public', 'private'] }),
    adminPrivacyAt: integer(),
    isActive: integer({ mode: 'boolean' }).notNull().default(true),
    isRequiredForTrust: integer({ mode: 'boolean' }).notNull().default(false),
    isGeneralServer: integer({ mode: 'boolean' }).notNull().default(false),
    validInviteCount: integer().notNull().default(0),
    /** By its first course, then its name; written with the words. */
    sortKey: text().notNull().default(''),
    /** Raised by triggers when a source of its words or sort key changes; `indexedVersion`: of the current ones. */
    version: integer().notNull().default(1),
    indexedVersion: integer().notNull().default(0),
    /** The number of the rules by which its words were made. */
    wordsVersion: integer().notNull().default(0),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('discord_server_name').on(sql`lower(${table.name})`),
    index('discord_server_custom_title').on(sql`lower(${table.customTitle})`),
    index('discord_server_name_beyond_ascii')
      .on(table.id)
      .where(sql`octet_length(name || custom_title) > length(name || custom_title)`),
    index('discord_server_inactive')
      .on(table.id)
      .where(sql`NOT is_active`),
    index('discord_server_unindexed')
      .on(table.id)
      .where(sql`version <> indexed_version OR words_version <> 1`),
    index('discord_server_trusted')
      .on(table.serverId)
      .where(sql`is_required_for_trust`),
    check('discord_server_privacy_level', sql`privacy_level IN ('public', 'private')`),
  ],
)

export const serverReport = sqliteTable(
  'server_report',
  {
    id: lastingId('server_report'),
    serverId: deletedWith(() => discordServer.id),
    reporterId: deletedWith(() => discordUser.id),
    reason: text().notNull(),
    createdAt: integer().notNull(),
    /** Null until a manager has handled it. */
    handledAt: integer(),
    handledBy: integer().references(() => discordUser.id, { onDelete: 'set null' }),
    /** dismissed, unlisted; '' until then */
    outcome: text().notNull().default(''),
  },
  (table) => [
    index('server_report_open')
      .on(table.createdAt)
      .where(sql`handled_at IS NULL`),
    index('server_report_handled_by').on(table.handledBy),
    index('server_report_reporter').on(table.serverId, table.reporterId, table.createdAt),
    index('server_report_user').on(table.reporterId),
  ],
)
