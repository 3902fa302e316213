import type { ContactKind } from '../../../src/lib/contract.ts'

export interface AlertQuery {
  recipientId: number | null
  /** Only alerts of which a message failed. */
  isFailedOnly: boolean
  /** Only alerts with a message by this channel. */
  channel: ContactKind | null
  q: string
  page: number
}

/** The query of the page's address for a filter, '' when nothing is filtered. */
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
