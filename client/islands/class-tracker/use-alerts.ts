import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ClassAlertsProps } from '../../../src/class-tracker/alerts/contract.ts'
import type { Message, PageContext, PageData } from '../../../src/web/contract.ts'
import { call } from '../../api.ts'
import { messagesOf } from '../../errors.ts'
import { useLivePage, type Liveness } from '../../use-live-page.ts'
import { alertSearch, type AlertQuery } from './alert-query.ts'

const SEARCH_DEBOUNCE_MS = 300

interface Alerts {
  shown: ClassAlertsProps
  query: AlertQuery
  /** An answer for `query` is on its way. */
  isSearching: boolean
  errors: string[]
  liveness: Liveness
  filter: (change: Partial<AlertQuery>) => void
  /** Asks for the same again, now. */
  refresh: () => Promise<void>
}

/**
 * The alerts of the page and the filter they stand under. The server filters; typing waits 300 ms, clearing does not.
 * The address follows the filter, so that a reload or a link shows the same.
 */
export function useAlerts(
  props: ClassAlertsProps,
  context: PageContext,
  onMessages: (messages: readonly Message[]) => void,
): Alerts {
  const [shown, setShown] = useState(props)
  const [query, setQuery] = useState<AlertQuery>({
    recipientId: props.selected_recipient_id,
    isFailedOnly: props.result === 'failed',
    q: props.q,
    page: props.pagination.current_page,
  })
  const [isSearching, setIsSearching] = useState(false)
  const [errors, setErrors] = useState<string[]>([])
  const changes = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const asking = useRef<AbortController>(undefined)

  const take = useCallback(
    (page: PageData<ClassAlertsProps>) => {
      setShown(page.props)
      onMessages(page.context.messages)
    },
    [onMessages],
  )
  const live = useMemo(() => ({ context, changes, onPage: take }), [context, take])
  const { liveness, refresh } = useLivePage<ClassAlertsProps>(live)

  useEffect(
    () => () => {
      clearTimeout(timer.current)
      asking.current?.abort()
    },
    [],
  )

  function ask(wanted: AlertQuery): void {
    const leaving = new AbortController()
    asking.current = leaving
    const address = `${location.pathname}${alertSearch(wanted)}`
    history.replaceState(history.state, '', address)
    call<PageData<ClassAlertsProps>>(address, { csrfToken: context.csrf_token, signal: leaving.signal }).then(
      (page) => {
        take(page)
        setErrors([])
        setIsSearching(false)
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return
        setErrors(messagesOf(error))
        setIsSearching(false)
      },
    )
  }

  function filter(change: Partial<AlertQuery>): void {
    const wanted = { ...query, page: 1, ...change }
    const isTyping = change.q !== undefined && change.q !== ''
    asking.current?.abort()
    changes.current += 1
    setQuery(wanted)
    setIsSearching(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => ask(wanted), isTyping ? SEARCH_DEBOUNCE_MS : 0)
  }

  return { shown, query, isSearching, errors, liveness, filter, refresh }
}
