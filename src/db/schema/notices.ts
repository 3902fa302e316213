import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { discordUser } from './discord.ts'
import { invite } from './invites.ts'

/** A notice from the directory to one person. */
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
