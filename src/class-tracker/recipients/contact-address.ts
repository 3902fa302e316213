import { type MetadataJson, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from '../../../.build/phone-metadata.json' with { type: 'json' }
import { addressKey } from '../../notify/address-key.ts'
import { isWebhookAddress } from '../../notify/discord/webhook-address.ts'
import type { TypedKind } from '../contract.ts'

/** An address as it is stored, and its {@link addressKey}, which only one contact of its kind may have. */
type ParsedAddress = { address: string; key: string } | { error: string }

const MAX_LENGTHS: Readonly<Record<TypedKind, number>> = { phone: 40, email: 254, discord: 400 }

/** The build writes it: its type is the library's own. */
const numbering = metadata as unknown as MetadataJson

/**
 * Normalizes a typed address of its kind: a phone number to E.164 (US by default), an email address with a lowercase
 * domain, or a Discord webhook.
 * @param discordApiUrl the `DISCORD_API_URL` setting: a webhook there is accepted too
 */
export function parseAddress(kind: TypedKind, typed: string, discordApiUrl: string): ParsedAddress {
  const text = typed.normalize('NFKC').trim()
  if (text === '') return { error: 'This field is required.' }
  if (text.length > MAX_LENGTHS[kind])
    return { error: `Ensure this value has at most ${MAX_LENGTHS[kind]} characters.` }
  if (kind === 'phone') return parsePhone(text)
  if (kind === 'email') return parseEmail(text)
  return parseWebhook(text, discordApiUrl)
}

/**
 * Checks the country code and the length, not whether the number is assigned: numbering plans change faster than our
 * copy. In the North American plan an area code starts with 2 to 9.
 */
function parsePhone(text: string): ParsedAddress {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false }, numbering)
  if (!number?.isPossible() || /^\+1[01]/.test(number.number))
    return { error: 'Enter a valid phone number, e.g. (212) 555-0123.' }
  if (number.ext) return { error: 'A number with an extension cannot receive messages.' }
  return stored('phone', number.number)
}

/** RFC 5321 without quoted local parts and address literals, which mail providers do not accept. */
function parseEmail(text: string): ParsedAddress {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const domain = asciiDomain(text.slice(at + 1))
  const isLocal = at > 0 && local.length <= 64 && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)
  if (!isLocal || domain === null) return { error: 'Enter a valid email address.' }
  return stored('email', `${local}@${domain}`)
}

/** A host name of at least two labels, in lowercase and in ASCII (IDNA) form; otherwise null. */
function asciiDomain(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null
  const host = URL.parse(`http://${text}/`)?.hostname ?? ''
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  return new RegExp(`^(${label}\\.)+(?!\\d+$)${label}$`).test(host) && host.length <= 253 ? host : null
}

function parseWebhook(text: string, discordApiUrl: string): ParsedAddress {
  const url = URL.parse(text)
  if (url === null || /[?#]/.test(text) || !isWebhookAddress(text, discordApiUrl))
    return { error: 'Enter a valid Discord webhook address.' }
  // As it will be requested: dot segments and backslashes would make one webhook look like two.
  return stored('discord', `${url.origin}${url.pathname.replace(/\/$/, '')}`)
}

function stored(kind: TypedKind, address: string): ParsedAddress {
  return { address, key: addressKey(kind, address) }
}
