import type { Message, Refused } from '../channel.ts'
import { refusedForGood } from '../outcome.ts'

/** RFC 5321, without the quoted local parts and address literals that email providers refuse; lowercase domain. */
export function parseMailbox(text: string): { address: string } | { error: string } {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const domain = asciiDomain(text.slice(at + 1))
  const isLocal = at > 0 && local.length <= 64 && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)
  if (!isLocal || domain === null) return { error: 'Enter a valid email address.' }
  return { address: `${local}@${domain}` }
}

/** 'a•••@example.com' */
export function maskedMailbox(address: string): string {
  const at = address.lastIndexOf('@')
  if (at < 1) return '•••'
  const [first = ''] = Array.from(address)
  const shown = at > first.length ? first : ''
  return `${shown}•••${address.slice(at)}`
}

/** A host name of at least two labels, in lowercase and in ASCII (IDNA) form; otherwise null. */
function asciiDomain(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null
  const host = URL.parse(`http://${text}/`)?.hostname ?? ''
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  return new RegExp(`^(${label}\\.)+(?!\\d+$)${label}$`).test(host) && host.length <= 253 ? host : null
}

/** Why not to send it, or null: providers build header lines from these fields, and a line break could add one. */
export function mailProblem(message: Message): Refused | null {
  if (!isEmailAddress(message.address)) return refusedForGood('not an email address')
  if (/\p{Cc}/u.test(message.subject)) return refusedForGood('the subject has a control character')
  if (/[\p{Cc}\s<>]/u.test(message.unsubscribe_url ?? '')) return refusedForGood('the unsubscribe link is malformed')
  return null
}

/** A single mailbox: no display name, no list, nothing that could end a header field. At most 254 characters. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\p{Cc}\s@<>()[\]\\,;:"]{1,64}@[^\p{Cc}\s@<>()[\]\\,;:"]+$/u.test(text)
}

/** The unsubscribe link that email apps show beside the subject: RFC 2369 and, for one click, RFC 8058. */
export function unsubscribeHeaders(url: string | null): Record<string, string> {
  if (url === null) return {}
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
