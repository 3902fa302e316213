import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import type { PageContext, PageData } from '../src/web/contract.ts'
import { call } from './api.ts'
import { CallError } from './errors.ts'

const interval = 15_000

export type Liveness = 'live' | 'late' | 'signed-out'

interface LiveOptions<Props> {
  context: PageContext
  /** Counts the page's own changes: an answer that was asked for before the latest of them is thrown away. */
  changes: RefObject<number>
  onPage: (page: PageData<Props>) => void
}

/**
 * Keeps a page's props fresh: asks the page's own address for JSON every 15 s while the page is looked at, and at once
 * when the reader comes back to it. `refresh` asks now.
 */
export function useLivePage<Props>({ context, changes, onPage }: LiveOptions<Props>): {
  liveness: Liveness
  refresh: () => Promise<void>
} {
  const [liveness, setLiveness] = useState<Liveness>('live')
  const token = useRef(context.csrf_token)
  const take = useRef(onPage)
  const asked = useRef(0)
  useEffect(() => {
    take.current = onPage
  }, [onPage])

  const refresh = useCallback(async () => {
    const changesBefore = changes.current
    asked.current = Date.now()
    const page = await call<PageData<Props>>(`${location.pathname}${location.search}`, {
      csrfToken: token.current,
      timeout: 12_000,
    })
    token.current = page.context.csrf_token
    setLiveness('live')
    if (changes.current === changesBefore) take.current(page)
  }, [changes])

  useEffect(() => {
    let isSignedOut = false
    function ask(): void {
      if (document.hidden || Date.now() - asked.current < interval - 1000) return
      refresh().then(
        () => {
          isSignedOut = false
        },
        (error: unknown) => {
          isSignedOut = error instanceof CallError && (error.status === 401 || error.status === 403)
          setLiveness(isSignedOut ? 'signed-out' : 'late')
        },
      )
    }
    asked.current = Date.now()
    // Who signed out is asked for again when they come back to the page, perhaps from signing in elsewhere.
    const timer = setInterval(() => {
      if (!isSignedOut) ask()
    }, interval)
    document.addEventListener('visibilitychange', ask)
    window.addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
      window.removeEventListener('online', ask)
    }
  }, [refresh])

  return { liveness, refresh }
}
