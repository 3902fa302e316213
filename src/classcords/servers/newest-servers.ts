import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { prepared, names, query, readTogether, template, parameter } from '../../db/query.ts'
import { listing, listingCount, school } from '../../db/schema/index.ts'
import type { DiscordServer, School, WelcomeProps } from '../contract.ts'
import { pendingCount } from '../invites/list-pending.ts'
import type { Viewer } from '../viewer.ts'
import { serverFields, serverOf } from './server-row.ts'
import { scopeOf } from './visibility.ts'
import { theServer, serverTable } from '../aliases.ts'

const FRONT_SERVERS = 4
const MAX_FRONT_SCHOOLS = 8
const WELCOME_SERVERS = 10

/** Shown after the public servers to those without a Discord account, who are never sent real private servers. */
const PLACEHOLDERS = 14

const { schoolId, serverId, createdAt, rank, isPrivate } = listing

export interface Front {
  servers: DiscordServer[]
  server_count: number
  school_count: number
  /** At most 8, those with the most servers first. */
  schools: (School & { servers: number })[]
}

export const findNewest = prepared(() => {
  const newestOf = (featured: SQL) => sql`SELECT * FROM (SELECT ${serverId}, ${createdAt} FROM ${listing}
    WHERE ${schoolId} = 0 AND ${rank} = ${featured} AND ${isPrivate} = 0 ORDER BY ${createdAt} DESC LIMIT ${FRONT_SERVERS})`
  return template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM (${newestOf(sql`0`)} UNION ALL ${newestOf(sql`1`)}) p
      JOIN ${serverTable} ON ${theServer.id} = p.${names(serverId)}
      ORDER BY p.${names(createdAt)} DESC, ${theServer.id} DESC LIMIT ${FRONT_SERVERS}`,
  )
})

/** Schools with public servers, those with the most first, after the row of school 0, which counts every server. */
export const findSchools = prepared(() =>
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
    .limit(MAX_FRONT_SCHOOLS + 1),
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

const findWelcome = { full: prepared(() => welcome(true)), public: prepared(() => welcome(false)) }

/** Featured servers (part 0), then the newest others (part 1). */
function welcome(withPrivate: boolean) {
  const isOfSchool = sql`${schoolId} = ${parameter('school')}`
  const newestOf = (level: SQL) => sql`SELECT * FROM (
    SELECT ${serverId}, 1 AS part, ${createdAt} FROM ${listing}
    WHERE ${isOfSchool} AND ${rank} = 1 AND ${isPrivate} = ${level} ORDER BY ${createdAt} DESC, ${serverId} DESC LIMIT ${WELCOME_SERVERS})`
  const featured = sql`SELECT ${serverId}, 0 AS part, ${createdAt} FROM ${listing}
    WHERE ${isOfSchool} AND ${rank} = 0 ${withPrivate ? sql`` : sql`AND NOT ${isPrivate}`}`
  const parts = [featured, newestOf(sql`0`), ...(withPrivate ? [newestOf(sql`1`)] : [])]
  return template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM (${sql.join(parts, sql` UNION ALL `)}) p
      JOIN ${serverTable} ON ${theServer.id} = p.${names(serverId)}
      ORDER BY p.part, p.${names(createdAt)} DESC, ${theServer.id} DESC`,
  )
}

/** The welcome page: all featured servers, the newest 10 public and the newest 10 private ones. One round trip. */
export async function listWelcome(env: Env, viewer: Viewer, referral: string | null): Promise<WelcomeProps> {
  const scope = scopeOf(viewer)
  const [rows, pending] = await readTogether(
    env.DB,
    (scope.withPrivate ? findWelcome.full : findWelcome.public)({ school: scope.schoolId }),
    pendingCount(viewer),
  )
  const servers = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  return {
    servers: viewer.discordUser ? servers : [...servers, ...placeholders()],
    pending_invites_count: pending[0]?.pending ?? 0,
    referral,
  }
}

/** Locked placeholders with ids −1 … −14. */
export function placeholders(): DiscordServer[] {
  return Array.from({ length: PLACEHOLDERS }, (_unused, index) => ({
    id: -1 - index,
    server_id: '',
    name: 'Private class server',
    display_name: 'Private class server',
    custom_title: '',
    description: "Log in with Discord to see your school's private servers.",
    icon_url: null,
    member_count: 0,
    presence: null,
    privacy_level_info: { value: 'private', label: 'Private Server' },
    is_active: true,
    is_required_for_trust: false,
    is_general_server: false,
    schools: [],
    subjects: [],
    courses: [],
    instructors: [],
    datetime_created: null,
  }))
}
