import { sql } from 'drizzle-orm'
import { beginsFolded, beginsWith, MAX_BEYOND_ASCII } from '../../db/search-words.ts'
import { type RowOf, template } from '../../db/query.ts'
import { discordServer, invite } from '../../db/schema/index.ts'
import type { PaletteGroup } from '../../web/contract.ts'

const MAX_ENTRIES = 5

const names = sql`${discordServer.name} || ${discordServer.customTitle}`

/** Servers whose name or title begins with the typed text. @param typed in lower case */
export function findServersNamed(typed: string) {
  return template(
    { id: discordServer.id, name: discordServer.name, title: discordServer.customTitle },
    (columns) => sql`SELECT ${columns} FROM ${discordServer} WHERE ${discordServer.id} IN (
        SELECT id FROM (SELECT ${discordServer.id} AS id FROM ${discordServer}
          WHERE ${beginsWith(sql`lower(${discordServer.name})`, typed)} LIMIT ${sql.raw(String(MAX_ENTRIES))})
        UNION SELECT id FROM (SELECT ${discordServer.id} AS id FROM ${discordServer}
          WHERE ${beginsWith(sql`lower(${discordServer.customTitle})`, typed)} LIMIT ${sql.raw(String(MAX_ENTRIES))})
        UNION SELECT id FROM (
          SELECT ${discordServer.id} AS id, ${discordServer.name} AS name, ${discordServer.customTitle} AS title FROM ${discordServer}
          WHERE octet_length(${names}) > length(${names}) ORDER BY ${discordServer.id} DESC LIMIT ${sql.raw(String(MAX_BEYOND_ASCII))})
          WHERE ${beginsFolded(sql`name`, typed)} OR ${beginsFolded(sql`title`, typed)})
      ORDER BY ${discordServer.id} LIMIT ${sql.raw(String(MAX_ENTRIES))}`,
  )
}

export function serversGroup(found: readonly RowOf<ReturnType<typeof findServersNamed>>[]): PaletteGroup {
  const entries = found.map(({ id, name, title }) => ({
    title: title || name,
    detail: title && title !== name ? name : '',
    href: `/classcords/server/${id}/`,
  }))
  return { label: 'Servers', entries }
}

/** Invites by the beginning of their code. @param typed in lower case */
export function findInvitesCoded(typed: string) {
  return template(
    { id: invite.id, code: invite.code, state: invite.state, server_id: invite.serverId },
    (columns) => sql`SELECT ${columns} FROM ${invite}
      WHERE ${beginsWith(sql`lower(${invite.code})`, typed)} LIMIT ${sql.raw(String(MAX_ENTRIES))}`,
  )
}

type FoundInvite = RowOf<ReturnType<typeof findInvitesCoded>>

/** @param hrefOf the address of the page that shows an invite */
export function invitesGroup(found: readonly FoundInvite[], hrefOf: (invite: FoundInvite) => string): PaletteGroup {
  const entries = found.map((row) => ({ title: row.code, detail: row.state, href: hrefOf(row) }))
  return { label: 'Invites', entries }
}
