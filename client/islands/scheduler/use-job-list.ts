import { useEffect, useMemo, useRef, useState } from 'react'
import type { JobListProps, ListSearch } from '../../../src/scheduler/contract.ts'
import { messagesOf } from '../../errors.ts'
import { SEARCH_DEBOUNCE_MS } from '../../search-delay.ts'
import { useLivePage, type Liveness } from '../../use-live-page.ts'
import { livePath, searchText } from './addresses.ts'
import { heldRows, type ReadList } from './held-rows.ts'
import { liveConnection } from './live-connection.ts'

interface JobList {
  shown: JobListProps
  search: ListSearch
  /** Whether an answer for `search` is pending. */
  isSearching: boolean
  errors: string[]
  liveness: Liveness
  /** The number of new jobs that are not shown yet. */
  news: number
  narrow: (change: Partial<ListSearch>) => void
  showNews: () => void
}

/**
 * The jobs of a list and its search. The server searches; typing waits 300 ms, everything else does not. The address
 * follows, so that a reload or a link shows the same.
 */
export function useJobList(props: JobListProps): JobList {
  const [{ newest, rows }, setList] = useState<ReadList>({ newest: props, rows: props.jobs })
  const [search, setSearch] = useState(props.search)
  const [isSearching, setIsSearching] = useState(false)
  const [errors, setErrors] = useState<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const queue = props.queue.name
  const act = newest.running?.job
  // An action on many jobs is itself a job of another queue.
  const connection = useMemo(
    () => liveConnection([livePath(queue), ...(act === undefined ? [] : [livePath('maintenance', act)])]),
    [queue, act],
  )
  const { liveness, refresh } = useLivePage<JobListProps>({
    connection,
    onPage: ({ props: fresh }) => setList((before) => ({ newest: fresh, rows: heldRows(before, fresh) })),
  })

  useEffect(() => () => clearTimeout(timer.current), [])

  function find(): void {
    setIsSearching(true)
    refresh()
      .then(
        () => setErrors([]),
        (error: unknown) => setErrors(messagesOf(error)),
      )
      .finally(() => setIsSearching(false))
  }

  function narrow(change: Partial<ListSearch>): void {
    const wanted = { ...search, ...change }
    setSearch(wanted)
    clearTimeout(timer.current)
    const isTyping = change.q !== undefined && change.q !== ''
    timer.current = setTimeout(
      () => {
        history.replaceState(
          history.state,
          '',
          `${location.pathname}${searchText(wanted, { chart: newest.chart_span })}`,
        )
        find()
      },
      isTyping ? SEARCH_DEBOUNCE_MS : 0,
    )
  }

  return {
    shown: { ...newest, jobs: rows },
    search,
    isSearching,
    errors,
    liveness,
    news: newest.jobs.filter((job) => !rows.includes(job)).length,
    narrow,
    showNews: () => setList({ newest, rows: newest.jobs }),
  }
}
