import { useRef, useState } from 'react'
import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { addressQuery } from '../../address-query.ts'
import { toastOf, type Toast } from '../../components/toasts.tsx'
import { useLivePage } from '../../use-live-page.ts'
import { usePageSearch } from '../../use-page-search.ts'

/** The search and the filters as the address names them; '' for none. */
export type AlertQuery = Record<'q' | 'recipient_id' | 'channel' | 'result', string>

export const noQuery: AlertQuery = { q: '', recipient_id: '', channel: '', result: '' }

/** The query part of the address; '' for page 1 of everything. */
export const alertSearch = (query: AlertQuery, page = 1): string => addressQuery({ ...query, page })

/** The alerts of the page and their filter. Typing waits 300 ms, clearing does not. */
export function useAlerts(props: ClassAlertsProps, say: (toast: Toast) => void) {
  const [shown, setShown] = useState(props)
  const [query, setQuery] = useState<AlertQuery>({
    q: props.q,
    recipient_id: String(props.selected_recipient_id ?? ''),
    channel: props.channel ?? '',
    result: props.result ?? '',
  })
  const changes = useRef(0)

  function take(page: PageData<ClassAlertsProps>): void {
    setShown(page.props)
    for (const message of page.context.messages) say(toastOf(message))
  }
  const { liveness, refresh } = useLivePage<ClassAlertsProps>({ changes, onPage: take })
  const { isSearching, errors, search } = usePageSearch<ClassAlertsProps>(take)

  function filter(change: Partial<AlertQuery>, page = 1): void {
    const wanted = { ...query, ...change }
    changes.current += 1
    setQuery(wanted)
    search(alertSearch(wanted, page), Boolean(change.q))
  }

  return { shown, query, isSearching, errors, liveness, filter, refresh }
}
