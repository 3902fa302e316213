import type { Message, Refused } from '../channel.ts'
import { refusedForGood } from '../outcome.ts'

export const notAnAddress = 'Enter a valid email address.'

/** RFC 5321, without the quoted local parts and address literals that email providers refuse; lowercase domain. */
export function parseMailbox(text: string): { address: string } | { error: string } {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const domain = asciiDomain(text.slice(at + 1))
  const isLocal = at > 0 && local.length <= 64 && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)
  if (!isLocal || domain === null) return { error: notAnAddress }
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

/** An address as it was typed, without surrounding spaces; null when it cannot receive email. */
export function typedAddress(text: string): string | null {
  const address = text.trim()
  return isEmailAddress(address) && asciiDomain(address.slice(address.indexOf('@') + 1)) !== null ? address : null
}

const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * One key for all spellings of an address that reach the same mailbox, only for limits: otherwise each spelling would
 * have its own. Spellings may differ in letter case, in what follows a plus (RFC 5233's usual separator), in how an
 * international host is written, and at Gmail in dots and between its two hosts
 * (https://support.google.com/mail/answer/7436150).
 */
export function mailboxKey(address: string): string {
  const text = address.normalize('NFKC').toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, typedHost] = [text.slice(0, at), text.slice(at + 1)]
  const host = URL.parse(`http://${typedHost}`)?.hostname ?? typedHost
  const name = local.split('+')[0] || local
  return gmail.has(host) ? `${name.replaceAll('.', '') || name}@gmail.com` : `${name}@${host}`
}
