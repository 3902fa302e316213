import { useEffect, useRef, useState, type RefObject } from 'react'
import type { PageData } from '../src/web/contract.ts'
import { call } from '#in-browser/api.ts'
import { CallError } from '#in-browser/errors.ts'
import { Refresher } from '#in-browser/refresher.ts'
import { usePageSearch } from './use-page-search.ts'

/** How often the data of a page without a connection is requested. */
const PAGE_INTERVAL_MS = 15_000

/** `polling`: every 5 s, without a connection. `late`: the connection is being reopened, or the last request failed. */
export type ConnectionState = 'live' | 'polling' | 'late'

export interface ConnectionListener {
  onChange: () => void
  onState: (state: ConnectionState) => void
}

/** Reports that a page may have changed, while the page is visible. */
export interface Connection {
  start(listener: ConnectionListener): void
  stop(): void
}

/** `logged-out`: no one is logged in. `gone`: the address no longer has a page for this person. */
export type Liveness = ConnectionState | 'logged-out' | 'gone'

/** What a permanent failure means: no more requests until the reader comes back to the page or acts on it. */
function endingOf(error: unknown): Liveness | null {
  const status = error instanceof CallError ? error.status : 0
  return status === 404 ? 'gone' : status === 401 || status === 403 ? 'logged-out' : null
}

interface LiveOptions<Props> {
  onPage: (page: PageData<Props>) => void
  /** Reports when the page changed; the same object while the same thing is watched. Without it: every 15 s. */
  connection?: Connection
  /** The address of the page's data; default: the page's own address. */
  dataPath?: () => string
  /** Counts the page's own changes: an answer requested before the latest of them is discarded. */
  changes?: RefObject<number>
}

const ownAddress = () => `${location.pathname}${location.search}`

/**
 * Keeps a page's props up to date while the page is visible: requests JSON from the page's own address when its
 * connection reports a change, and when the reader comes back to the page. `refresh` makes a request now, and rejects
 * if it fails.
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
      const { changes, dataPath = ownAddress } = latest.current
      const changesBefore = changes?.current
      const path = dataPath()
      const page = await call<PageData<Props>>(path, { timeout: 12_000, signal })
      // The reader's own change is newer than this answer, and a search that waited for more letters has moved the page.
      if (changes?.current === changesBefore && dataPath() === path) latest.current.onPage(page)
    }
    const pages = new Refresher({
      load,
      onSuccess() {
        setFailure(null)
        // Someone who logged in again in another tab and continued here.
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
    function look(): void {
      pause()
      if (document.hidden) return
      listen()
      pages.notice()
    }

    if (!document.hidden) listen()
    document.addEventListener('visibilitychange', look)
    window.addEventListener('online', look)
    return () => {
      pause()
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('online', look)
    }
  }, [connection])

  const refresh = async () => refresher.current?.askNow()
  return { liveness: failure ?? state, refresh }
}

interface LiveSearchOptions<Props, Query> extends Omit<LiveOptions<Props>, 'changes'> {
  initial: Query
  /** The query part of the address. */
  addressOf: (query: Query, page: number) => string
}

/** A page that follows the server, and its own search and filters. Typing waits 300 ms, clearing does not. */
export function useLiveSearch<Props, Query extends { q: string }>(options: LiveSearchOptions<Props, Query>) {
  const { initial, addressOf, ...live } = options
  const changes = useRef(0)
  const page = usePageSearch<Props, Query>(initial, live.onPage)
  return {
    ...page,
    ...useLivePage<Props>({ ...live, changes }),
    /** Notes a change that the reader made: an answer requested before it is discarded. */
    countChange(): void {
      changes.current += 1
    },
    changeCount: () => changes.current,
    search(change: Partial<Query>, number = 1): void {
      const wanted = { ...page.query, ...change }
      changes.current += 1
      page.search(wanted, addressOf(wanted, number), Boolean(change.q))
    },
  }
}
