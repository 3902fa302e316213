import * as z from 'zod/mini'
import { parseOr } from '../../lib/fallbacks.ts'
import { oneLine } from '../../notify/clean-text.ts'
import { canonicalCode } from '../invites/invite-link.ts'
import { pictureHash } from '../../web/discord-user.ts'

/** What the directory stores about an invite to a server. The texts are cleaned, but are not safe markup. */
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

const figureIn = parseOr(z.nullable(z.int().check(z.nonnegative())), null)
const wordsIn = parseOr(z.nullable(z.string()), null)
const anything = z.optional(z.unknown())

/** Only the fields we need, because Discord adds some and leaves others out (a vanity invite has no inviter). */
const Answer = z.object({
  code: anything,
  expires_at: anything,
  max_uses: anything,
  guild: z.object({
    id: z.string().check(z.regex(/^\d{1,20}$/)),
    name: z.string(),
    icon: anything,
    description: anything,
    vanity_url_code: anything,
  }),
  approximate_member_count: anything,
  approximate_presence_count: anything,
})

/** An invite to a group chat. */
const NotGuild = z.object({ code: z.string(), channel: z.unknown(), guild: z.optional(z.null()) })

/** Reads an answer of `GET /invites/{code}`. Null if it is not this invite and therefore says nothing. */
export function readInviteAnswer(answer: unknown, asked: string): GuildInvite | 'not_guild' | null {
  const read = Answer.safeParse(answer)
  if (!read.success) return isCode(NotGuild.safeParse(answer).data?.code, asked) ? 'not_guild' : null
  if (read.data.code !== undefined && !isCode(read.data.code, asked)) return null
  const { guild, max_uses, approximate_member_count, approximate_presence_count } = read.data
  const expiresAt = wordsIn(read.data.expires_at)
  const expiry = expiresAt ? Date.parse(expiresAt) : null
  // An expiry date we cannot read still means that the invite expires.
  const isPermanent = !expiresAt && !figureIn(max_uses)
  return {
    code: canonicalCode(asked, wordsIn(guild.vanity_url_code)),
    guild_id: guild.id,
    name: oneLine(guild.name, 100) || 'Unnamed server',
    description: oneLine(wordsIn(guild.description) ?? '', 300),
    icon: pictureHash(wordsIn(guild.icon)),
    member_count: figureIn(approximate_member_count),
    online_count: figureIn(approximate_presence_count),
    expires_at: expiry === null || Number.isNaN(expiry) ? null : expiry,
    is_permanent: isPermanent,
  }
}

/** Whether an answer names the code that was asked. Vanity codes may be typed in either case. */
function isCode(named: unknown, asked: string): boolean {
  return typeof named === 'string' && named.toLowerCase() === asked.toLowerCase()
}

/** The address of a server's picture. @param cdnUrl the address of Discord's image host */
export function iconAddress(cdnUrl: string, guildId: string, icon: string | null): string | null {
  return icon === null ? null : `${cdnUrl}/icons/${guildId}/${icon}.png?size=96`
}
