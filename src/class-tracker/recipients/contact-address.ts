import type { TypedKind } from '../../lib/contract.ts'
import { addressKey, addressKinds } from '../../notify/addresses.ts'

/** An address as it is stored, and its {@link addressKey}, which only one contact of its kind may have. */
type ParsedAddress = { address: string; key: string } | { error: string }

/**
 * Normalizes a typed address of its kind: a phone number to E.164 (US by default), an email address with a lowercase
 * domain, or a Discord webhook.
 * @param discordApiUrl the `DISCORD_API_URL` setting: a webhook there is accepted too
 */
export function parseAddress(kind: TypedKind, typed: string, discordApiUrl: string): ParsedAddress {
  const text = typed.normalize('NFKC').trim()
  if (text === '') return { error: 'This field is required.' }
  const { maxLength, parse } = addressKinds[kind]
  if (text.length > maxLength) return { error: `Ensure this value has at most ${maxLength} characters.` }
  const parsed = parse(text, discordApiUrl)
  return 'error' in parsed ? parsed : { address: parsed.address, key: addressKey(kind, parsed.address) }
}
