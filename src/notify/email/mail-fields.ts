import type { Message, Refused } from '../channel.ts'
import { refusedForGood } from '../outcome.ts'

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
