import { useEffect, useRef, useState } from 'react'
import type { ExploreAllListingsProps } from '../../../src/classcords/contract.ts'
import type { PageContext, PageData } from '../../../src/web/contract.ts'
import { call } from '../../api.ts'
import { messagesOf } from '../../errors.ts'
import { changed, exploreSearch, queryOf, searchDelay, type ExploreQuery } from './explore-query.ts'

interface Explore {
  shown: ExploreAllListingsProps
  query: ExploreQuery
  /** Whether an answer for `query` is awaited. */
  isSearching: boolean
  errors: string[]
  search: (change: Partial<ExploreQuery>) => void
}

/**
 * The listings and their search, which the server runs 300 ms after the last change, or at once when it was cleared. The address
 * follows, so that a reload or a link shows the same.
 */
export function useExplore(props: ExploreAllListingsProps, context: PageContext): Explore {
  const [shown, setShown] = useState(props)
  const [query, setQuery] = useState(() => queryOf(props))
  const [isSearching, setIsSearching] = useState(false)
  const [errors, setErrors] = useState<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const asking = useRef<AbortController>(undefined)

  useEffect(
    () => () => {
      clearTimeout(timer.current)
      asking.current?.abort()
    },
    [],
  )

  function ask(wanted: ExploreQuery): void {
    const leaving = new AbortController()
    asking.current = leaving
    const address = `${location.pathname}${exploreSearch(wanted, props.referral)}`
    history.replaceState(history.state, '', address)
    call<PageData<ExploreAllListingsProps>>(address, { csrfToken: context.csrf_token, signal: leaving.signal }).then(
      (page) => {
        setShown(page.props)
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

  function search(change: Partial<ExploreQuery>): void {
    const wanted = changed(query, change)
    asking.current?.abort()
    setQuery(wanted)
    setIsSearching(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => ask(wanted), searchDelay(wanted))
  }

  return { shown, query, isSearching, errors, search }
}
