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
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const asking = useRef<AbortController>(undefined)

  useEffect(
    () => () => {
      clearTimeout(timer.current)
      asking.current?.abort()
    },
    [],
  )

  function ask(part: string): void {
    const controller = new AbortController()
    asking.current = controller
    const address = `${location.pathname}${part}`
    history.replaceState(history.state, '', address)
    call<PageData<Props>>(address, { signal: controller.signal }).then(
      (page) => {
        onPage(page)
        setErrors([])
        setIsSearching(false)
      },
      (error: unknown) => {
        if (controller.signal.aborted) return
        setErrors(messagesOf(error))
        setIsSearching(false)
      },
    )
  }

  /**
   * @param part the address's query, such as "?q=cs" or ""
   * @param isTyping whether more may be typed: then the search waits 300 ms
   */
  function search(wanted: Query, part: string, isTyping: boolean): void {
    setQuery(wanted)
    asking.current?.abort()
    setIsSearching(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => ask(part), isTyping ? DEBOUNCE_MS : 0)
  }

  return { query, isSearching, errors, search }
}
