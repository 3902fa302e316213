import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, names, readTogether, template } from '../../db/query.ts'
import { discordServer, listing } from '../../db/schema/index.ts'
import type { DiscordServer, WelcomeProps } from '../contract.ts'
import { pendingCount } from '../invites/list-pending.ts'
import type { Viewer } from '../viewer.ts'
import { serverFields, serverOf } from './server-row.ts'
import { scopeOf } from './visibility.ts'

const NEWEST = 10

/** Shown after the public servers to those without a chat account, who are never sent real private servers. */
const PLACEHOLDERS = 14

const s = alias(discordServer, 's')

const findFront = { full: kept(() => front(true)), public: kept(() => front(false)) }

/** Featured servers (part 0), then the newest others (part 1). */
function front(withPrivate: boolean) {
  const { schoolId, serverId, createdAt, rank, isPrivate } = listing
  const isOfSchool = sql`${schoolId} = ${sql.placeholder('school')}`
  const newestOf = (level: SQL) => sql`SELECT * FROM (
    SELECT ${serverId}, 1 AS part, ${createdAt} FROM ${listing}
    WHERE ${isOfSchool} AND ${rank} = 1 AND ${isPrivate} = ${level} ORDER BY ${createdAt} DESC, ${serverId} DESC LIMIT ${NEWEST})`
  const featured = sql`SELECT ${serverId}, 0 AS part, ${createdAt} FROM ${listing}
    WHERE ${isOfSchool} AND ${rank} = 0 ${withPrivate ? sql`` : sql`AND NOT ${isPrivate}`}`
  const parts = [featured, newestOf(sql`0`), ...(withPrivate ? [newestOf(sql`1`)] : [])]
  return template(
    serverFields,
    (columns) => sql`SELECT ${columns} FROM (${sql.join(parts, sql` UNION ALL `)}) p
      JOIN ${discordServer} ${s} ON ${s.id} = p.${names(serverId)}
      ORDER BY p.part, p.${names(createdAt)} DESC, ${s.id} DESC`,
  )
}

/** The welcome page: all featured servers, the newest 10 public and the newest 10 private ones. One round trip. */
export async function listWelcome(env: Env, viewer: Viewer, referral: string | null): Promise<WelcomeProps> {
  const { schoolId, withPrivate } = scopeOf(viewer)
  const [rows, pending] = await readTogether(
    env.DB,
    (withPrivate ? findFront.full : findFront.public)({ school: schoolId }),
    pendingCount(viewer),
  )
  const servers = rows.map((row) => serverOf(row, env.DISCORD_CDN_URL))
  return {
    servers: viewer.chat ? servers : [...servers, ...placeholders()],
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
