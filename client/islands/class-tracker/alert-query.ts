import type { ContactKind } from '../../../src/lib/contract.ts'

export interface AlertQuery {
  recipientId: number | null
  /** Only alerts with a failed message. */
  isFailedOnly: boolean
  /** Only alerts with a message on this channel. */
  channel: ContactKind | null
  q: string
  page: number
}

/** The query part of the address for a filter; '' if nothing is filtered. */
export function alertSearch({ recipientId, isFailedOnly, channel, q, page }: AlertQuery): string {
  const search = new URLSearchParams()
  if (recipientId !== null) search.set('recipient_id', String(recipientId))
  if (isFailedOnly) search.set('result', 'failed')
  if (channel !== null) search.set('channel', channel)
  if (q.trim() !== '') search.set('q', q.trim())
  if (page > 1) search.set('page', String(page))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
