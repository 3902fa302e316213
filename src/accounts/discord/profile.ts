import { oneLine } from '../../notify/clean-text.ts'
import { typedAddress } from '../../notify/email/mail-address.ts'
import { pictureHash } from '../../web/discord-user.ts'
import * as z from 'zod/mini'

/** A user's profile at Discord, cleaned. `email` may not be theirs unless `isVerified`. */
export const DiscordProfile = z.object({
  discordId: z.string(),
  username: z.string(),
  /** '0' for users with a unique username. */
  discriminator: z.string(),
  displayName: z.string(),
  avatar: z.nullable(z.string()),
  email: z.nullable(z.string()),
  isVerified: z.boolean(),
})
export type DiscordProfile = z.infer<typeof DiscordProfile>

/** Only the id and the name are always there. */
const UserObject = z.object({
  id: z.string().check(z.regex(/^\d{1,20}$/)),
  username: z.string().check(z.minLength(1)),
  discriminator: z.nullish(z.string()),
  global_name: z.nullish(z.string()),
  avatar: z.nullish(z.string()),
  email: z.nullish(z.string()),
  verified: z.nullish(z.boolean()),
})

/** The profile in an answer of `/users/@me`; null when the answer has no profile. */
export function readProfile(answer: unknown): DiscordProfile | null {
  const read = UserObject.safeParse(answer)
  if (!read.success) return null
  const { id, username, discriminator, global_name, avatar, email, verified } = read.data
  const name = oneLine(username, 100)
  if (name === '') return null
  const address = typedAddress(email ?? '')
  return {
    discordId: id,
    username: name,
    discriminator: /^\d{1,4}$/.test(discriminator ?? '') ? (discriminator ?? '0') : '0',
    displayName: oneLine(global_name ?? '', 100) || name,
    avatar: pictureHash(avatar),
    email: address,
    isVerified: verified === true && address !== null,
  }
}

const MAX_USERNAME_LENGTH = 150

/** The username of a new account: the display name reduced to a-z, digits, - and _, then `@` and the Discord id. */
export function usernameOf({ displayName, discordId }: Pick<DiscordProfile, 'displayName' | 'discordId'>): string {
  const slug = displayName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .trim()
    .replace(/[\s-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
  const end = `@${discordId}`
  return slug.slice(0, MAX_USERNAME_LENGTH - end.length) + end
}
