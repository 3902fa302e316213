import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { JobListProps, ListSearch } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { messagesOf } from '../../errors.ts'
import { livePath, searchText } from './addresses.ts'
import type { LinkState } from './live-link.ts'
import { listAfter, newJobs } from './list-after.ts'
import { isNarrowed } from './texts.ts'
import { useLive, type Why } from './use-live.ts'

const searchDebounce = 300
/** How often an act on many jobs is asked how far it is, ms. */
const actEvery = 1500

interface JobList {
  shown: JobListProps
  search: ListSearch
  /** An answer for `search` is on its way. */
  isSearching: boolean
  errors: string[]
  state: LinkState
  /** Jobs that came since the list was loaded. */
  news: number
  narrow: (change: Partial<ListSearch>) => void
  /** Loads the list again, with the new jobs. */
  showNews: () => void
}

/**
 * The jobs of a list and the search they stand under. The server searches; typing waits 300 ms, everything else does not. The
 * address follows, so that a reload or a link shows the same. Rows change in place; new ones wait until they are asked for.
 */
export function useJobList(props: JobListProps, context: PageContext): JobList {
  const [shown, setShown] = useState(props)
  const [search, setSearch] = useState(props.search)
  const [news, setNews] = useState<ReadonlySet<string>>(new Set())
  const [isSearching, setIsSearching] = useState(false)
  const [errors, setErrors] = useState<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const current = useRef(shown)
  useEffect(() => {
    current.current = shown
  }, [shown])

  const { name } = props.queue
  const { registry } = props
  const onFrame = useCallback((frame: LiveFrame) => {
    const list = current.current
    const isFirstPage = (list.pagination?.current_page ?? 1) === 1
    if (isFirstPage && !isNarrowed(list.search) && !new URLSearchParams(location.search).has('cursor')) {
      setNews((before) => new Set([...before, ...newJobs(list, frame)]))
    }
    setShown((before) => listAfter(before, frame))
  }, [])
  const onPage = useCallback((page: JobListProps, why: Why) => {
    if (why === 'all') {
      setNews(new Set())
      setShown(page)
    } else setShown((before) => ({ ...page, jobs: before.jobs }))
  }, [])
  const { state, reload } = useLive<JobListProps>({
    context,
    paths: useMemo(() => [livePath(name, { registry })], [name, registry]),
    onFrame,
    onPage,
  })

  const load = useCallback(() => {
    setIsSearching(true)
    reload()
      .then(
        () => setErrors([]),
        (error: unknown) => setErrors(messagesOf(error)),
      )
      .finally(() => setIsSearching(false))
  }, [reload])

  const isActing = shown.running !== null
  useEffect(() => {
    if (!isActing) return
    const asking = setInterval(() => {
      // The next look asks again.
      if (!document.hidden) reload().catch(() => undefined)
    }, actEvery)
    return () => clearInterval(asking)
  }, [isActing, reload])
  useEffect(() => () => clearTimeout(timer.current), [])

  function narrow(change: Partial<ListSearch>): void {
    const wanted = { ...search, ...change }
    setSearch(wanted)
    clearTimeout(timer.current)
    const isTyping = change.q !== undefined && change.q !== ''
    timer.current = setTimeout(
      () => {
        history.replaceState(history.state, '', `${location.pathname}${searchText(wanted)}`)
        load()
      },
      isTyping ? searchDebounce : 0,
    )
  }

  return { shown, search, isSearching, errors, state, news: news.size, narrow, showNews: load }
}
