import * as z from 'zod/mini'
import { oneLine } from '../../notify/clean-text.ts'
import { canonicalCode } from '../invites/invite-link.ts'

/** What the directory keeps of an invite to a server. The texts are cleaned, but are no safe markup. */
export const GuildInvite = z.object({
  code: z.string(),
  guild_id: z.string(),
  name: z.string(),
  description: z.string(),
  icon: z.nullable(z.string()),
  /** Null when Discord did not say: an absent figure is not 0. */
  member_count: z.nullable(z.number()),
  online_count: z.nullable(z.number()),
  /** ms since epoch; null: never */
  expires_at: z.nullable(z.number()),
  is_permanent: z.boolean(),
})
export type GuildInvite = z.infer<typeof GuildInvite>

const figure = z.catch(z.nullish(z.int().check(z.nonnegative())), null)
const words = z.catch(z.nullish(z.string()), null)

/** Only the fields we need, because Discord adds some and leaves others out (a vanity invite has no inviter). */
const Answer = z.object({
  expires_at: words,
  max_uses: figure,
  guild: z.object({
    id: z.string().check(z.regex(/^\d{1,20}$/)),
    name: z.string(),
    icon: words,
    description: words,
    vanity_url_code: words,
  }),
  approximate_member_count: figure,
  approximate_presence_count: figure,
})

const NotGuild = z.object({ code: z.string(), channel: z.unknown() })

/** Reads an answer of `GET /invites/{code}`. Null: it is not an invite, so it says nothing. */
export function readInviteAnswer(answer: unknown, asked: string): GuildInvite | 'not_guild' | null {
  const read = Answer.safeParse(answer)
  if (!read.success) {
    const hasGuild = typeof answer === 'object' && answer !== null && 'guild' in answer && Boolean(answer.guild)
    return NotGuild.safeParse(answer).success && !hasGuild ? 'not_guild' : null
  }
  const { guild, expires_at, max_uses, approximate_member_count, approximate_presence_count } = read.data
  const expiry = expires_at ? Date.parse(expires_at) : null
  // An expiry date we cannot read still means that the invite expires.
  const isPermanent = !expires_at && !max_uses
  return {
    code: canonicalCode(asked, guild.vanity_url_code ?? null),
    guild_id: guild.id,
    name: oneLine(guild.name, 100) || 'Unnamed server',
    description: oneLine(guild.description ?? '', 300),
    icon: iconOf(guild.icon ?? null),
    member_count: approximate_member_count ?? null,
    online_count: approximate_presence_count ?? null,
    expires_at: expiry === null || Number.isNaN(expiry) ? null : expiry,
    is_permanent: isPermanent,
  }
}

/** A picture's hash, or null for anything else, because it becomes part of an address. */
export function iconOf(hash: string | null): string | null {
  return hash !== null && /^(?:a_)?[0-9a-f]{1,64}$/.test(hash) ? hash : null
}

/** The address of a server's picture. @param cdnUrl the address of Discord's image host */
export function iconAddress(cdnUrl: string, guildId: string, icon: string | null): string | null {
  return icon === null ? null : `${cdnUrl}/icons/${guildId}/${icon}.png?size=96`
}
