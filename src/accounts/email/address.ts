import { isEmailAddress } from '../../notify/email/mail-address.ts'

/** An address as it was typed, without surrounding spaces; null when it cannot receive email. */
export function typedAddress(text: string): string | null {
  const address = text.trim()
  return isEmailAddress(address) && /@[^@]*[^.@]\.[^.@]+$/.test(address) ? address : null
}

export const notAnAddress = 'Enter a valid email address.'

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
