const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * One key for the spellings of an address that reach one mailbox, for limits alone: letter case, what follows a plus
 * (RFC 5233's usual separator), an international host in its two spellings, and at Gmail dots and its second host
 * (https://support.google.com/mail/answer/7436150), because each spelling would otherwise have its own limit. Accounts
 * are found by the address as it was typed.
 */
export function mailboxKey(address: string): string {
  const text = address.normalize('NFKC').toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, typedHost] = [text.slice(0, at), text.slice(at + 1)]
  const host = URL.parse(`http://${typedHost}`)?.hostname ?? typedHost
  const name = local.split('+')[0] || local
  return gmail.has(host) ? `${name.replaceAll('.', '') || name}@gmail.com` : `${name}@${host}`
}
