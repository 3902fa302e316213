import { useRef, useState } from 'react'
import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import type { Message } from '../../../src/lib/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { useLivePage, type Liveness } from '../../use-live-page.ts'
import { usePageSearch } from '../../use-page-search.ts'
import { alertSearch, type AlertQuery } from './alert-query.ts'

interface Alerts {
  shown: ClassAlertsProps
  query: AlertQuery
  /** Whether an answer for `query` is pending. */
  isSearching: boolean
  errors: string[]
  liveness: Liveness
  filter: (change: Partial<AlertQuery>) => void
  /** Repeats the request now. */
  refresh: () => Promise<void>
}

/** The alerts of the page and their filter. Typing waits 300 ms, clearing does not. */
export function useAlerts(props: ClassAlertsProps, onMessages: (messages: readonly Message[]) => void): Alerts {
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
