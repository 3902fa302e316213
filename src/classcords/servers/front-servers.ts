import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, names, query, readTogether, template } from '../../db/query.ts'
import { discordServer, listing, listingCount, school } from '../../db/schema/index.ts'
import type { DiscordServer, School } from '../contract.ts'
import { serverFields, serverOf } from './server-row.ts'

const SHOWN = 4
const MAX_SCHOOLS = 8

export interface Front {
  servers: DiscordServer[]
  server_count: number
  school_count: number
  /** At most 8, those with the most servers first. */
  schools: (School & { servers: number })[]
}

const s = alias(discordServer, 's')

export const findNewest = kept(() => {
  const { schoolId, serverId, createdAt, rank, isPrivate } = listing
  const newestOf = (featured: SQL) => sql`SELECT * FROM (SELECT ${serverId}, ${createdAt} FROM ${listing}
    WHERE ${schoolId} = 0 AND ${rank} = ${featured} AND ${isPrivate} = 0 ORDER BY ${createdAt} DESC LIMIT ${SHOWN})`
  return template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM (${newestOf(sql`0`)} UNION ALL ${newestOf(sql`1`)}) p
      JOIN ${discordServer} ${s} ON ${s.id} = p.${names(serverId)}
      ORDER BY p.${names(createdAt)} DESC, ${s.id} DESC LIMIT ${SHOWN}`,
  )
})

/** Schools with public servers, those with the most first, after the row of school 0, which counts every server. */
export const findSchools = kept(() =>
  query
    .select({
      id: listingCount.schoolId,
      name: school.name,
      servers: listingCount.servers,
      rows: sql<number>`count(*) OVER ()`,
    })
    .from(listingCount)
    .leftJoin(school, eq(school.id, listingCount.schoolId))
    .where(sql`NOT ${listingCount.isPrivate} AND ${listingCount.servers} > 0`)
    .orderBy(sql`${listingCount.schoolId} > 0`, desc(listingCount.servers), listingCount.schoolId)
    .limit(MAX_SCHOOLS + 1),
)

export async function readFront(env: Env): Promise<Front> {
  const [servers, counts] = await readTogether(env.DB, findNewest(), findSchools())
  const all = counts.find(({ id }) => id === 0)
  return {
    servers: servers.map((row) => serverOf(row, env.DISCORD_CDN_URL)),
    server_count: all?.servers ?? 0,
    school_count: all ? all.rows - 1 : 0,
    schools: counts.flatMap(({ id, name, servers: count }) => (name === null ? [] : [{ id, name, servers: count }])),
  }
}
