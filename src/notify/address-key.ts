import type { ChannelKind } from './channel.ts'
import { endpointIn } from './push/push-address.ts'

/**
 * The canonical form of an address: messages to two addresses with the same key reach the same place. A phone number
 * (E.164) is its own key; a mailbox ignores case and has an ASCII domain; a webhook is its id and token, as Discord
 * serves it under several hosts and API versions; a device is its endpoint. All comparisons of addresses use this.
 */
export function addressKey(kind: ChannelKind, address: string): string {
  if (kind === 'email') return address.toLowerCase()
  if (kind === 'phone') return address
  if (kind === 'push') return endpointIn(address)
  return /\/webhooks\/(\d+\/[\w-]+)\/?$/.exec(address)?.[1] ?? address
}
