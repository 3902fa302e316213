import { useEffect, useRef, useState } from 'react'
import type { PageData } from '../src/web/contract.ts'
import { call } from '#in-browser/api.ts'
import { messagesOf } from '#in-browser/errors.ts'

const DEBOUNCE_MS = 300

/** Searches by requesting JSON from the page's own address, which follows: for reloads and links. */
export function usePageSearch<Props, Query>(initial: Query, onPage: (page: PageData<Props>) => void) {
  const [query, setQuery] = useState(initial)
  const [isSearching, setIsSearching] = useState(false)
  const [errors, setErrors] = useState<string[]>([])
  const asking = useRef<AbortController>(undefined)

  useEffect(() => () => asking.current?.abort(), [])

  /**
   * @param part the address's query, such as "?q=cs" or ""
   * @param isTyping whether more may be typed: then the search waits 300 ms
   */
  function search(wanted: Query, part: string, isTyping: boolean): void {
    asking.current?.abort()
    asking.current = new AbortController()
    const { signal } = asking.current
    function ask(): void {
      if (signal.aborted) return
      // A dialog that opened meanwhile has an entry in the history, with an address of its own: this waits for its end.
      if (history.state?.load === performance.timeOrigin) return addEventListener('popstate', ask, { once: true })
      const address = `${location.pathname}${part}`
      history.replaceState(null, '', address)
      call<PageData<Props>>(address, { signal })
        .then(onPage)
        .then(() => [], messagesOf)
        .then((problems) => {
          if (signal.aborted) return
          setErrors(problems)
          setIsSearching(false)
        })
    }
    setQuery(wanted)
    setIsSearching(true)
    setTimeout(ask, isTyping ? DEBOUNCE_MS : 0)
  }

  return { query, isSearching, errors, search }
}
