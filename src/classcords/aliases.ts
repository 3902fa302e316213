import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { discordServer, invite } from '../db/schema/index.ts'

/** The server that a query is about: shared fields and conditions mean this one. */
export const theServer = alias(discordServer, 's')
/** What a query selects it from. */
export const serverTable = sql`${discordServer} ${theServer}`

/** The invite that a query is about. */
export const theInvite = alias(invite, 'i')
export const inviteTable = sql`${invite} ${theInvite}`
export const invitesWithServer = sql`${inviteTable} JOIN ${serverTable} ON ${theServer.id} = ${theInvite.serverId}`
