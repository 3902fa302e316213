import type { ChannelKind } from './channel.ts'

/**
 * An address as it may be shown: '•••• 0143', 'a•••@example.com', 'Discord webhook …1234' (the end of the webhook's
 * id, never of its token), 'Device (Mozilla)' (whose push service it is). An address too short to mask is only dots.
 */
export function maskedAddress(kind: ChannelKind, address: string): string {
  if (kind === 'phone') return maskedPhone(address)
  if (kind === 'email') return maskedEmail(address)
  if (kind === 'push') return maskedDevice(address)
  const id = /\/webhooks\/\d*(\d{4})(?=\/)/.exec(address)?.[1]
  return id === undefined ? 'Discord webhook' : `Discord webhook …${id}`
}

function maskedPhone(address: string): string {
  const digits = address.replace(/\D/g, '')
  return digits.length < 8 ? '••••' : `•••• ${digits.slice(-4)}`
}

/** The second-level domain of the push service's host names its owner. */
function maskedDevice(address: string): string {
  const owner = /([\w-]+)\.\w+$/.exec(URL.parse(address)?.hostname ?? '')?.[1]
  const names: Readonly<Record<string, string>> = {
    googleapis: 'Google',
    mozilla: 'Mozilla',
    apple: 'Apple',
    windows: 'Microsoft',
  }
  const name = owner === undefined ? undefined : names[owner]
  return name === undefined ? 'Device' : `Device (${name})`
}

function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@')
  if (at < 1) return '•••'
  const [first = ''] = Array.from(address)
  const shown = at > first.length ? first : ''
  return `${shown}•••${address.slice(at)}`
}
