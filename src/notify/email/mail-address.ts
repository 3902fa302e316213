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
