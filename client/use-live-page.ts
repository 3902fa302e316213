import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import type { PageContext, PageData } from '../src/web/contract.ts'
import { call } from './api.ts'
import { CallError } from './errors.ts'
import { Refresher } from './refresher.ts'

/** How often a page without a connection is asked for. */
const PAGE_INTERVAL_MS = 15_000

/** `polling`: no connection holds, so the page is asked for every 5 seconds. `late`: it is being made anew. */
export type ConnectionState = 'live' | 'polling' | 'late'

export interface ConnectionListener {
  /** Something may have changed. */
  onChange: () => void
  onState: (state: ConnectionState) => void
}

/** What says that a page may have changed, while the page is looked at. */
export interface Connection {
  start(listener: ConnectionListener): void
  stop(): void
}

/** `signed-out`: nobody is. `gone`: there is nothing at this address for this person any more. */
export type Liveness = ConnectionState | 'signed-out' | 'gone'

/** What a failure says for good: the page is not asked for again until the reader comes back to it or does something on it. */
function endingOf(error: unknown): Liveness | null {
  const status = error instanceof CallError ? error.status : 0
  return status === 404 ? 'gone' : status === 401 || status === 403 ? 'signed-out' : null
}

interface LiveOptions<Props> {
  context: PageContext
  onPage: (page: PageData<Props>) => void
  /** Says when the page changed; the same object as long as the same is watched. Without it the page is asked for every 15 s. */
  connection?: Connection
  /** Where the page's data is asked for; its own address when absent. */
  dataPath?: () => string
  /** Counts the page's own changes: an answer that was asked for before the latest of them is thrown away. */
  changes?: RefObject<number>
}

const ownAddress = () => `${location.pathname}${location.search}`

/**
 * Keeps a page's props fresh while the page is looked at: asks the page's own address for JSON when its connection says
 * that something changed, and when the reader comes back to the page. `refresh` asks now, and rejects when that fails.
 */
export function useLivePage<Props>(options: LiveOptions<Props>): { liveness: Liveness; refresh: () => Promise<void> } {
  const { connection } = options
  const [state, setState] = useState<ConnectionState>('live')
  const [failure, setFailure] = useState<Liveness | null>(null)
  const latest = useRef(options)
  const refresher = useRef<Refresher>(null)
  useEffect(() => {
    latest.current = options
  })

  useEffect(() => {
    async function load(signal: AbortSignal): Promise<void> {
      const { context, changes, dataPath = ownAddress } = latest.current
      const changesBefore = changes?.current
      const page = await call<PageData<Props>>(dataPath(), { csrfToken: context.csrf_token, timeout: 12_000, signal })
      // What the reader did meanwhile is newer than this answer.
      if (changes?.current === changesBefore) latest.current.onPage(page)
    }
    const pages = new Refresher({
      load,
      onSuccess() {
        setFailure(null)
        // Somebody who logged in again elsewhere and went on here.
        if (!isListening && !document.hidden) listen()
      },
      onFailure(error) {
        const ending = endingOf(error)
        setFailure(ending ?? 'late')
        if (ending) pause()
        return !ending
      },
    })
    refresher.current = pages
    let timer: ReturnType<typeof setInterval> | undefined
    let isListening = false

    function listen(): void {
      isListening = true
      if (connection) connection.start({ onChange: pages.notice, onState: setState })
      else timer = setInterval(pages.notice, PAGE_INTERVAL_MS)
    }
    function pause(): void {
      isListening = false
      clearInterval(timer)
      connection?.stop()
      pages.stop()
    }
    function resume(): void {
      pause()
      if (!document.hidden) listen()
    }
    function look(): void {
      resume()
      if (!document.hidden) pages.notice()
    }

    resume()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('online', look)
    return () => {
      pause()
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('online', look)
    }
  }, [connection])

  const refresh = useCallback(async () => refresher.current?.askNow(), [])
  return { liveness: failure ?? state, refresh }
}
