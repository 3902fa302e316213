import type { ChannelKind } from './channel.ts'
import { endpointIn } from './push/push-address.ts'

/**
 * The one form of an address that is stored: of two addresses with the same key, messages reach the same place. A phone number
 * (E.164) is its own key. A mailbox is compared without letter case, its domain in ASCII. A webhook is its id and token:
 * Discord serves it under several hosts and versions of its API. A device is its endpoint. Nothing else may compare addresses.
 */
export function addressKey(kind: ChannelKind, address: string): string {
  if (kind === 'email') return address.toLowerCase()
  if (kind === 'phone') return address
  if (kind === 'push') return endpointIn(address)
  return /\/webhooks\/(\d+\/[\w-]+)\/?$/.exec(address)?.[1] ?? address
}
