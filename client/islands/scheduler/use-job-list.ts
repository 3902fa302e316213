import { useMemo, useState } from 'react'
import { liveConnection } from '#in-browser/islands/scheduler/live-connection.ts'
import type { JobListProps, JobRow, ListSearch } from '../../../src/scheduler/contract.ts'
import { useLiveSearch } from '../../use-live-page.ts'
import { livePath, searchText } from './addresses.ts'
import { isNarrowed } from './texts.ts'

/** The jobs of a list and its search. The address follows, so that a reload or a link shows the same. */
export function useJobList(props: JobListProps) {
  const [{ newest, rows }, setList] = useState<ReadList>({ newest: props, rows: props.jobs })
  const queue = props.queue.name
  const act = newest.running?.job
  // An action on many jobs is itself a job of another queue.
  const connection = useMemo(
    () => liveConnection([livePath(queue), ...(act === undefined ? [] : [livePath('maintenance', act)])]),
    [queue, act],
  )
  const live = useLiveSearch<JobListProps, ListSearch>({
    initial: props.search,
    addressOf: (search) => searchText(search, { chart: newest.chart_span }),
    connection,
    onPage: ({ props: fresh }) => setList((before) => ({ newest: fresh, rows: heldRows(before, fresh) })),
  })

  return {
    ...live,
    shown: { ...newest, jobs: rows },
    /** The number of new jobs that are not shown yet. */
    news: newest.jobs.filter((job) => !rows.includes(job)).length,
    showNews: () => setList({ newest, rows: newest.jobs }),
  }
}

/** A list that is updated while someone reads it. */
interface ReadList {
  newest: JobListProps
  /** The rows on screen. New jobs of `newest` are held back until the reader asks for them. */
  rows: JobRow[]
}

/** Whether new jobs belong at the top of the list. */
const growsAtTop = ({ pagination, search }: JobListProps): boolean =>
  pagination?.current_page === 1 && !isNarrowed(search)

const hasEndedJobs = ({ registry }: JobListProps): boolean => ['finished', 'failed', 'canceled'].includes(registry)

/** Whether a row that is missing from an answer may only have been pushed off its page. Unfinished jobs move on. */
const pushesOff = (list: JobListProps): boolean => list.pagination?.has_next === true && hasEndedJobs(list)

/** A newer answer's rows; new jobs at the top are held back, so that no row moves under the pointer. */
export function heldRows({ newest, rows }: ReadList, fresh: JobListProps): JobRow[] {
  const { jobs } = fresh
  const top = rows[0]
  const end = jobs.at(-1)
  if (!growsAtTop(newest) || !growsAtTop(fresh) || !top || !end) return jobs
  /** The time that the list is ordered by. */
  const timeOf = (row: JobRow): string => (hasEndedJobs(fresh) ? (row.ended_at ?? row.created_at) : row.created_at)
  const names = new Set(rows.map(({ name }) => name))
  if (!jobs.some((row) => !names.has(row.name) && timeOf(row) >= timeOf(top))) return jobs
  const held = rows.flatMap(
    (row) => jobs.find(({ name }) => name === row.name) ?? (pushesOff(fresh) && timeOf(row) < timeOf(end) ? row : []),
  )
  return held.length === 0 ? jobs : held
}
