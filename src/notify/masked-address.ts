import type { ChannelKind } from './channel.ts'

/**
 * An address as it may be shown: '•••• 0143', 'a•••@example.com', 'Discord webhook …1234' (the end of the webhook's
 * id, never of its token). What cannot be shown without giving it all away is dots only.
 */
export function maskedAddress(kind: ChannelKind, address: string): string {
  if (kind === 'phone') return maskedPhone(address)
  if (kind === 'email') return maskedEmail(address)
  const id = /\/webhooks\/\d*(\d{4})(?=\/)/.exec(address)?.[1]
  return id === undefined ? 'Discord webhook' : `Discord webhook …${id}`
}

function maskedPhone(address: string): string {
  const digits = address.replace(/\D/g, '')
  return digits.length < 8 ? '••••' : `•••• ${digits.slice(-4)}`
}

function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@')
  if (at < 1) return '•••'
  const [first = ''] = Array.from(address)
  const shown = at > first.length ? first : ''
  return `${shown}•••${address.slice(at)}`
}
