import { useRef, useState } from 'react'
import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import type { Message, ContactKind } from '../../../src/lib/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { addressQuery } from '../../address-query.ts'
import { useLivePage } from '../../use-live-page.ts'
import { usePageSearch } from '../../use-page-search.ts'

export interface AlertQuery {
  recipientId: number | null
  isFailedOnly: boolean
  channel: ContactKind | null
  q: string
  page: number
}

/** The query part of the address for a filter; '' if nothing is filtered. */
export const alertSearch = ({ recipientId, isFailedOnly, channel, q, page }: AlertQuery): string =>
  addressQuery({ recipient_id: recipientId, result: isFailedOnly ? 'failed' : null, channel, q, page })

/** The alerts of the page and their filter. Typing waits 300 ms, clearing does not. */
export function useAlerts(props: ClassAlertsProps, onMessages: (messages: readonly Message[]) => void) {
  const [shown, setShown] = useState(props)
  const [query, setQuery] = useState<AlertQuery>({
    recipientId: props.selected_recipient_id,
    isFailedOnly: props.result === 'failed',
    channel: props.channel ?? null,
    q: props.q,
    page: props.pagination.current_page,
  })
  const changes = useRef(0)

  function take(page: PageData<ClassAlertsProps>): void {
    setShown(page.props)
    onMessages(page.context.messages)
  }
  const { liveness, refresh } = useLivePage<ClassAlertsProps>({ changes, onPage: take })
  const { isSearching, errors, search } = usePageSearch<ClassAlertsProps>(take)

  function filter(change: Partial<AlertQuery>): void {
    const wanted = { ...query, page: 1, ...change }
    changes.current += 1
    setQuery(wanted)
    search(alertSearch(wanted), change.q !== undefined && change.q !== '')
  }

  return { shown, query, isSearching, errors, liveness, filter, refresh }
}
