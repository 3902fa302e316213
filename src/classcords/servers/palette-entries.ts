import { sql } from 'drizzle-orm'
import { beginsFolded, beginsWith, MAX_BEYOND_ASCII } from '../../db/search-words.ts'
import { constant, type RowOf, template } from '../../db/query.ts'
import { discordServer, invite } from '../../db/schema/index.ts'
import type { PaletteGroup } from '../../web/contract.ts'
import { isListed } from './server-row.ts'
import { theServer, serverTable } from '../aliases.ts'

const MAX_ENTRIES = 5

const names = sql`${discordServer.name} || ${discordServer.customTitle}`

/** Servers that have a page. */
export const onlyListed = sql`${discordServer.isActive} AND ${discordServer.validInviteCount} > 0`

/** Servers whose name or title begins with the typed text. @param typed in lower case @param only which of them */
export function findServersByName(typed: string, only = sql`TRUE`) {
  return template(
    { id: theServer.id, name: theServer.name, title: theServer.customTitle, is_listed: isListed },
    (columns) => sql`SELECT ${columns} FROM ${serverTable} WHERE ${theServer.id} IN (
        SELECT id FROM (SELECT ${discordServer.id} AS id FROM ${discordServer}
          WHERE ${beginsWith(sql`lower(${discordServer.name})`, typed)} AND ${only} LIMIT ${constant(MAX_ENTRIES)})
        UNION SELECT id FROM (SELECT ${discordServer.id} AS id FROM ${discordServer}
          WHERE ${beginsWith(sql`lower(${discordServer.customTitle})`, typed)} AND ${only} LIMIT ${constant(MAX_ENTRIES)})
        UNION SELECT id FROM (
          SELECT ${discordServer.id} AS id, ${discordServer.name} AS name, ${discordServer.customTitle} AS title FROM ${discordServer}
          WHERE octet_length(${names}) > length(${names}) AND ${only} ORDER BY ${discordServer.id} DESC LIMIT ${constant(MAX_BEYOND_ASCII)})
          WHERE ${beginsFolded(sql`name`, typed)} OR ${beginsFolded(sql`title`, typed)})
      ORDER BY ${theServer.id} LIMIT ${constant(MAX_ENTRIES)}`,
  )
}

/** Each leads to its page, or to its row in the admin if it is not listed. */
export function serversGroup(found: readonly RowOf<ReturnType<typeof findServersByName>>[]): PaletteGroup {
  const entries = found.map(({ id, name, title, is_listed }) => ({
    title: title || name,
    detail: title && title !== name ? name : '',
    href: `/${is_listed ? 'classcords/server' : 'admin/servers'}/${id}/`,
  }))
  return { label: 'Servers', entries }
}

/** Invites that the directory shows to managers: in the review queue, or approved on the page of their server. */
export const onlyShown = sql`(${invite.state} = 'pending' OR (${invite.state} = 'approved' AND ${isListed}))`

/** Invites by the beginning of their code. @param typed in lower case @param only which of them */
export function findInvitesByCode(typed: string, only = sql`TRUE`) {
  return template(
    { id: invite.id, code: invite.code, state: invite.state, server_id: invite.serverId },
    (columns) => sql`SELECT ${columns} FROM ${invite} JOIN ${serverTable} ON ${theServer.id} = ${invite.serverId}
      WHERE ${beginsWith(sql`lower(${invite.code})`, typed)} AND ${only} LIMIT ${constant(MAX_ENTRIES)}`,
  )
}

type FoundInvite = RowOf<ReturnType<typeof findInvitesByCode>>

/** @param hrefOf the address of the page that shows an invite */
export function invitesGroup(found: readonly FoundInvite[], hrefOf: (invite: FoundInvite) => string): PaletteGroup {
  const entries = found.map((row) => ({ title: row.code, detail: row.state, href: hrefOf(row) }))
  return { label: 'Invites', entries }
}
