import { revokeTokens } from './discord-api.ts'
import { openTokens } from './sealed-tokens.ts'

/** Revokes the tokens of a Discord account that is linked no longer. Never rejects. */
export async function endTokens(env: Env, discordId: string, sealed: string | null): Promise<void> {
  try {
    const tokens = await openTokens(env, discordId, sealed)
    if (tokens) await revokeTokens(env, tokens)
  } catch (error) {
    console.warn({ event: 'discord_tokens_not_ended', error: String(error) })
  }
}
