import { json, type Answer, type Call } from '../http.ts'
import { discordError } from './errors.ts'
import { findGuild, GUILDS, TRUSTED_GUILD_ID, type Guild } from './guilds.ts'
import type { World } from '../world.ts'
import { PERSONAS } from './personas.ts'

interface Invite {
  guild: Guild | null
  /** Made by a person; a vanity address has no inviter. */
  hasInviter: boolean
  /** Milliseconds from now; null for ever. */
  expiresIn: number | null
}

const DAY = 24 * 3600_000

/** Unusual invites; each server also has a permanent one. */
function invitesOf(): ReadonlyMap<string, Invite> {
  const commons = findGuild(TRUSTED_GUILD_ID) ?? null
  return new Map<string, Invite>([
    ...GUILDS.map((guild): [string, Invite] => [guild.code, { guild, hasInviter: true, expiresIn: null }]),
    ['expires-soon', { guild: commons, hasInviter: true, expiresIn: 7 * DAY }],
    ['vanity', { guild: commons, hasInviter: false, expiresIn: null }],
    ['group-chat', { guild: null, hasInviter: true, expiresIn: null }],
  ])
}

const INVITES = invitesOf()

function userOf(): Record<string, unknown> | null {
  const persona = PERSONAS.find(({ name }) => name === 'manager')
  if (!persona) return null
  const { id, username, discriminator, displayName, avatar } = persona
  return { id, username, discriminator, global_name: displayName, avatar, public_flags: 0, flags: 0 }
}

function guildObject(guild: Guild, isVanity: boolean): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    splash: null,
    banner: null,
    description: guild.description,
    icon: guild.icon,
    features: isVanity ? ['VANITY_URL', 'COMMUNITY'] : ['COMMUNITY'],
    verification_level: 1,
    vanity_url_code: isVanity ? 'vanity' : null,
    nsfw_level: 0,
    nsfw: false,
    premium_subscription_count: 0,
  }
}

/** Whether there is or was an invite with this code. */
export const isInvite = (code: string): boolean => INVITES.has(code)

/** GET /invites/{code}. Codes are case-sensitive, as at Discord. */
export function answerInvite(world: World, call: Call, code: string): Answer {
  const now = world.now()
  const invite = INVITES.get(code)
  if (!invite || world.revokedInvites.has(code)) return discordError(404, 10006, 'Unknown Invite')
  const { guild, hasInviter, expiresIn } = invite
  const wantsCounts = call.url.searchParams.get('with_counts') === 'true'
  return json({
    type: guild ? 0 : 1,
    code,
    ...(hasInviter ? { inviter: userOf() } : {}),
    expires_at: expiresIn === null ? null : new Date(now + expiresIn).toISOString(),
    flags: 0,
    ...(guild
      ? {
          guild: guildObject(guild, !hasInviter),
          guild_id: guild.id,
          channel: { id: String(BigInt(guild.id) + 1_000_000n), type: 0, name: 'welcome' },
          profile: {
            id: guild.id,
            name: guild.name,
            icon_hash: guild.icon,
            member_count: guild.members,
            online_count: guild.online,
            description: guild.description,
          },
        }
      : { channel: { id: '1190000000000900000', type: 3, name: 'Exam night', icon: null, recipients: [] } }),
    ...(wantsCounts
      ? { approximate_member_count: guild?.members ?? 4, approximate_presence_count: guild?.online ?? 0 }
      : {}),
  })
}
