import type { SQL } from 'drizzle-orm'
import { query, type RowOf } from '../../db/query.ts'
import { discordUser } from '../../db/schema/index.ts'
import { decryptJson, encryptJson } from '../../web/security/encryption.ts'
import { revokeTokens, Tokens } from './discord-api.ts'

/** Bound to the account: tokens copied into another row cannot be read there. */
const purposeOf = (discordId: string): string => `discord-tokens:${discordId}`

/** The encrypted tokens of Discord accounts. @param which a condition on `discord_user` */
export const sealedTokensWhere = (which: SQL | undefined) =>
  query
    .select({ discord_id: discordUser.discordId, sealed_tokens: discordUser.sealedTokens })
    .from(discordUser)
    .where(which)

export type SealedTokens = RowOf<ReturnType<typeof sealedTokensWhere>>

export async function sealTokens(env: Env, discordId: string, tokens: Tokens): Promise<string> {
  return encryptJson(env, purposeOf(discordId), tokens)
}

/** Null when there are none or their key is no longer known; the next login stores new ones. */
export async function openTokens(env: Env, { discord_id, sealed_tokens }: SealedTokens): Promise<Tokens | null> {
  return sealed_tokens === null ? null : decryptJson(env, purposeOf(discord_id), sealed_tokens, Tokens)
}

/** Revokes the tokens of a Discord account that is no longer linked. Never rejects. */
export async function endTokens(env: Env, sealed: SealedTokens): Promise<void> {
  try {
    const tokens = await openTokens(env, sealed)
    if (tokens) await revokeTokens(env, tokens)
  } catch (error) {
    console.warn({ event: 'discord_tokens_not_ended', error: String(error) })
  }
}
