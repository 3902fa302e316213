import { sql } from 'drizzle-orm'
import { orNull, type RowOfFields } from '../db/query.ts'
import { discordUser, school, user } from '../db/schema/index.ts'
import type { DiscordUser } from './contract.ts'
import { iso } from '../lib/time.ts'

/** For a query with {@link discordUserJoins}; without an account all columns are null. */
export const discordUserFields = {
  discord_user_id: orNull(discordUser.id),
  discord_id: discordUser.discordId,
  discord_username: discordUser.username,
  discriminator: discordUser.discriminator,
  display_name: discordUser.displayName,
  avatar: discordUser.avatar,
  is_verified: discordUser.isVerified,
  role: discordUser.role,
  school_id: discordUser.schoolId,
  school_name: orNull(school.name),
  login_count: discordUser.loginCount,
  first_login_at: discordUser.firstLoginAt,
  last_login_at: discordUser.lastLoginAt,
}

/** A disabled or disconnected Discord account counts as none. */
export const discordUserJoins = sql`LEFT JOIN ${discordUser} ON ${discordUser.userId} = ${user.id}
    AND NOT ${discordUser.isDisabled} AND ${discordUser.unlinkedAt} IS NULL
  LEFT JOIN ${school} ON ${school.id} = ${discordUser.schoolId}`

type DiscordUserRow = RowOfFields<typeof discordUserFields>

const roles: Readonly<Record<string, string>> = { regular: 'Regular User', manager: 'Discord Manager' }

/** A role as pages name it. */
export const roleInfo = (role: string): DiscordUser['role_info'] => ({ value: role, label: roles[role] ?? role })

/** The account in the form that pages use; null if there is none. @param cdnUrl Discord's image host */
export function discordUserOf(row: DiscordUserRow, cdnUrl: string): DiscordUser | null {
  if (row.discord_user_id === null) return null
  return {
    id: row.discord_user_id,
    discord_id: row.discord_id,
    username: row.discord_username,
    discriminator: row.discriminator,
    display_name: row.display_name,
    avatar_url: avatarAddress(row, cdnUrl),
    is_verified: row.is_verified,
    login_count: row.login_count,
    first_login: iso(row.first_login_at),
    last_login: iso(row.last_login_at),
    role_info: roleInfo(row.role),
    school: row.school_id === null || row.school_name === null ? null : { id: row.school_id, name: row.school_name },
  }
}

/** A picture's hash, or null for anything else, because it becomes part of an address. */
export function pictureHash(hash: string | null | undefined): string | null {
  return hash && /^(?:a_)?[0-9a-f]{1,64}$/.test(hash) ? hash : null
}

/**
 * The address of the picture. Without a custom one it is one of Discord's six defaults, chosen by id, or one of five,
 * chosen by discriminator for accounts that still have one (Discord's reference, "CDN Endpoints").
 */
export function avatarAddress(
  { discord_id: id, avatar, discriminator }: Pick<DiscordUserRow, 'discord_id' | 'avatar' | 'discriminator'>,
  cdnUrl: string,
): string {
  if (avatar !== null) return `${cdnUrl}/avatars/${id}/${avatar}.png?size=128`
  const tag = Number(discriminator)
  const usual = tag > 0 ? tag % 5 : Number((BigInt(id) >> 22n) % 6n)
  return `${cdnUrl}/embed/avatars/${usual}.png`
}
