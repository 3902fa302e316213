import { env } from 'cloudflare:workers'
import { indexServers } from '../../src/classcords/search/index-servers.ts'
import { one, rows } from './rows.ts'
import { addUser } from './visitor.ts'
import { type MadeGroup, makeGroup } from './catalog.ts'

/** Rows of the directory added directly to the database. Every call adds separate ones. */

let count = 0
/** Limits count people by their Discord id and outlive a file, so ids are never reused. */
const series = BigInt(Date.now()) * 100_000n

export interface Person {
  id: number
  discordUserId: number
  discord_id: string
  name: string
}

/** A user with a Discord account. */
export async function addPerson(
  person: { role?: 'regular' | 'manager'; school?: number | null; isSuperuser?: boolean; loginCount?: number } = {},
): Promise<Person> {
  count += 1
  const user = await addUser({ isSuperuser: person.isSuperuser ?? false })
  const discord_id = String(series + BigInt(count))
  const name = `Person ${count}`
  const { id } = await one<{ id: number }>(
    `INSERT INTO discord_user (user_id, discord_id, username, discriminator, display_name, is_verified, role, school_id, login_count,
       first_login_at, last_login_at) VALUES (?, ?, ?, '0', ?, 1, ?, ?, ?, 0, 0) RETURNING id`,
    user.id,
    discord_id,
    `person${count}`,
    name,
    person.role ?? 'regular',
    person.school ?? null,
    person.loginCount ?? 1,
  )
  return { id: user.id, discordUserId: id, discord_id, name }
}

/** A school with a subject and a course. */
export const makeSchool = (): Promise<MadeGroup> => makeGroup()

interface MakeServer {
  name?: string
  privacy?: 'public' | 'private'
  featured?: boolean
  schools?: number[]
  subjects?: number[]
  courses?: number[]
  notes?: string
  createdAt?: number
  /** Whether it has an approved, working invite; default: true. */
  isListed?: boolean
  submitter?: number | null
  code?: string
}

/** A server with an approved invite. */
export async function makeServer(
  server: MakeServer = {},
): Promise<{ id: number; guild: string; invite: number; code: string }> {
  count += 1
  const guild = String(1_150_000_000_000_000_000n + BigInt(count))
  const code = server.code ?? `made-${count}`
  const { id } = await one<{ id: number }>(
    `INSERT INTO discord_server (server_id, name, privacy_level, is_required_for_trust, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id`,
    guild,
    server.name ?? `Server ${count}`,
    server.privacy ?? 'public',
    server.featured ? 1 : 0,
    server.createdAt ?? count,
  )
  const link = async (table: string, key: string, ids: number[] = []) => {
    for (const target of ids) await rows(`INSERT INTO ${table} (server_id, ${key}) VALUES (?, ?)`, id, target)
  }
  await link('server_school', 'school_id', server.schools)
  await link('server_subject', 'subject_id', server.subjects)
  await link('server_course', 'course_id', server.courses)
  const invite = await one<{ id: number }>(
    `INSERT INTO invite (code, server_id, submitter_id, state, notes_md, privacy_level, is_valid, created_at, decided_at, due_at)
     VALUES (?, ?, ?, 'approved', ?, ?, ?, ?, ?, ?) RETURNING id`,
    code,
    id,
    server.submitter ?? null,
    server.notes ?? '',
    server.privacy ?? 'public',
    server.isListed === false ? 0 : 1,
    count,
    count,
    Date.now() + 86_400_000,
  )
  await indexServers(env.DB, 100, id)
  return { id, guild, invite: invite.id, code }
}

/** A pending invite to a server of its own. */
export async function makePending(
  pending: { submitter?: number | null; isValid?: boolean; code?: string; school?: number; createdAt?: number } = {},
): Promise<{ id: number; server: number; code: string }> {
  count += 1
  const code = pending.code ?? `pending-${count}`
  const { id: server } = await one<{ id: number }>(
    `INSERT INTO discord_server (server_id, name, privacy_level, created_at) VALUES (?, ?, 'public', ?) RETURNING id`,
    String(1_150_000_000_000_000_000n + BigInt(count)),
    `Pending ${count}`,
    count,
  )
  const { id } = await one<{ id: number }>(
    `INSERT INTO invite (code, server_id, submitter_id, privacy_level, school_id, is_valid, created_at, due_at)
     VALUES (?, ?, ?, 'private', ?, ?, ?, ?) RETURNING id`,
    code,
    server,
    pending.submitter ?? null,
    pending.school ?? (await makeSchool()).school_id,
    pending.isValid === false ? 0 : 1,
    pending.createdAt ?? count,
    Date.now() + 86_400_000,
  )
  return { id, server, code }
}

/** Guilds of the world's Discord that tests may submit. */
export const guilds = {
  calculus: { id: '1190000000000000100', name: 'Harbor State Calculus I', code: 'harbor-state-calculus-i' },
  algebra: { id: '1190000000000000102', name: 'Harbor State Linear Algebra', code: 'harbor-state-linear-algebra' },
  commons: { id: '1190000000000000001', name: 'Campus Commons', code: 'campus-commons' },
} as const

export const linkOf = (code: string) => `https://discord.gg/${code}`

/** Empties the directory; people and catalog stay. */
export async function emptyDirectory(): Promise<void> {
  const tables = ['discord_server', 'invite_lookup', 'referral', 'notice', 'school_choice', 'instructor']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
}

/** The schools at which a server is listed. */
export const listingsOf = (server: number) =>
  rows('SELECT school_id FROM listing WHERE server_id = ? ORDER BY 1', server)

/** The version of a school's public pages, which changes whenever they do. */
export const versionOf = async (school: number) =>
  (await one<{ version: string }>('SELECT version FROM site_version WHERE school_id = ?', school)).version
