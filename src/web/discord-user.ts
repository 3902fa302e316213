import type { DiscordUser } from './contract.ts'
import { iso } from './moment.ts'

/** Columns of a user's chat account for a query that joins `discord_user` and `school`; all null when there is none. */
export const discordUserColumns = `discord_user.id AS discord_user_id, discord_id, discord_user.username AS discord_username, discriminator,
  display_name, avatar, is_verified, role, school_id, school.name AS school_name, login_count, first_login_at, last_login_at`

/** A disabled chat account is as good as none, and so is one that was disconnected. */
export const discordUserJoins = `LEFT JOIN discord_user ON discord_user.user_id = user.id AND NOT discord_user.is_disabled
    AND discord_user.unlinked_at IS NULL
  LEFT JOIN school ON school.id = discord_user.school_id`

export interface DiscordUserRow {
  discord_user_id: number
  discord_id: string
  discord_username: string
  discriminator: string
  display_name: string
  avatar: string | null
  is_verified: number
  role: string
  school_id: number | null
  school_name: string | null
  login_count: number
  first_login_at: number
  last_login_at: number
}

const roles: Readonly<Record<string, string>> = { regular: 'Regular User', manager: 'Discord Manager' }

/** The chat account as every page is told of it. @param cdnUrl the address of Discord's image host */
export function discordUserOf(row: DiscordUserRow, cdnUrl: string): DiscordUser {
  return {
    id: row.discord_user_id,
    discord_id: row.discord_id,
    username: row.discord_username,
    discriminator: row.discriminator,
    display_name: row.display_name,
    avatar_url: avatarAddress(row, cdnUrl),
    is_verified: row.is_verified === 1,
    login_count: row.login_count,
    first_login: iso(row.first_login_at),
    last_login: iso(row.last_login_at),
    role_info: { value: row.role, label: roles[row.role] ?? row.role },
    school: row.school_id === null || row.school_name === null ? null : { id: row.school_id, name: row.school_name },
  }
}

/**
 * Where the picture is. Who has none gets one of Discord's six by id, or by discriminator (of five) while they still have one:
 * Discord's reference, "CDN Endpoints".
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
