import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { discordServer, invite } from '../../db/schema/index.ts'
import type { AdminChoice, AdminColumn } from '../../web/admin-table.ts'

/* Shared by several tables of the directory. */

export const inviteStates: readonly AdminChoice[] = [
  { value: 'pending', label: 'Pending', tone: 'waitlisted' },
  { value: 'approved', label: 'Approved', tone: 'done' },
  { value: 'rejected', label: 'Rejected', tone: 'danger' },
  { value: 'expired', label: 'Expired', tone: 'neutral' },
]

export const privacyLevels: readonly AdminChoice[] = [
  { value: 'public', label: 'Public' },
  { value: 'private', label: 'Private' },
]

export const inviteTitle = sql`'discord.gg/' || ${invite.code}`

export const serverName = sql`coalesce(nullif(${discordServer.customTitle}, ''), ${discordServer.name})`

/** All names of the server that a column refers to. */
export const namesOfServer = (serverId: SQLiteColumn) =>
  sql`(SELECT ${discordServer.name} || ' ' || ${discordServer.customTitle} FROM ${discordServer}
    WHERE ${discordServer.id} = ${serverId})`

/** For tables that join a server. */
export const serverColumn: AdminColumn = { name: 'server', sql: serverName, link: discordServer }
