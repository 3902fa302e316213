import { useMemo, useRef, useState } from 'react'
import type { JobListProps, ListSearch } from '../../../src/scheduler/contract.ts'
import type { PageData } from '../../../src/web/contract.ts'
import { useLivePage, type Liveness } from '../../use-live-page.ts'
import { usePageSearch } from '../../use-page-search.ts'
import { livePath, searchText } from './addresses.ts'
import { heldRows, type ReadList } from './held-rows.ts'
import { liveConnection } from '#in-browser/islands/scheduler/live-connection.ts'

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
  const changes = useRef(0)
  const queue = props.queue.name
  const act = newest.running?.job
  // An action on many jobs is itself a job of another queue.
  const connection = useMemo(
    () => liveConnection([livePath(queue), ...(act === undefined ? [] : [livePath('maintenance', act)])]),
    [queue, act],
  )
  const take = ({ props: fresh }: PageData<JobListProps>) =>
    setList((before) => ({ newest: fresh, rows: heldRows(before, fresh) }))
  const { liveness } = useLivePage<JobListProps>({ connection, changes, onPage: take })
  const page = usePageSearch<JobListProps>(take)

  function narrow(change: Partial<ListSearch>): void {
    const wanted = { ...search, ...change }
    changes.current += 1
    setSearch(wanted)
    page.search(searchText(wanted, { chart: newest.chart_span }), change.q !== undefined && change.q !== '')
  }

  return {
    shown: { ...newest, jobs: rows },
    search,
    isSearching: page.isSearching,
    errors: page.errors,
    liveness,
    news: newest.jobs.filter((job) => !rows.includes(job)).length,
    narrow,
    showNews: () => setList({ newest, rows: newest.jobs }),
  }
}
