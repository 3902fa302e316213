import * as z from 'zod/mini'
import { decrypt, encrypt } from '../../web/encryption.ts'
import { revokeTokens, type Tokens } from './discord-api.ts'

/** Bound to the account: tokens copied into another row cannot be read there. */
const purposeOf = (discordId: string): string => `discord-tokens:${discordId}`

const StoredTokens = z.object({
  access_token: z.string(),
  refresh_token: z.nullable(z.string()),
  expires_at: z.number(),
})

export async function sealTokens(env: Env, discordId: string, tokens: Tokens): Promise<string> {
  return encrypt(env, purposeOf(discordId), JSON.stringify(tokens))
}

/** Null when there are none or their key is no longer known; the next login stores new ones. */
export async function openTokens(env: Env, discordId: string, sealed: string | null): Promise<Tokens | null> {
  const text = sealed === null ? null : await decrypt(env, purposeOf(discordId), sealed)
  return text === null ? null : StoredTokens.parse(JSON.parse(text))
}

/** Revokes the tokens of a Discord account that is no longer linked. Never rejects. */
export async function endTokens(env: Env, discordId: string, sealed: string | null): Promise<void> {
  try {
    const tokens = await openTokens(env, discordId, sealed)
    if (tokens) await revokeTokens(env, tokens)
  } catch (error) {
    console.warn({ event: 'discord_tokens_not_ended', error: String(error) })
  }
}
