import type { JobListProps, JobRow } from '../../../src/scheduler/contract.ts'
import { isNarrowed } from './texts.ts'

/** A list that is updated while somebody reads it. */
export interface ReadList {
  newest: JobListProps
  /** The rows on screen. New jobs of `newest` are held back until the reader asks for them. */
  rows: JobRow[]
}

/** Whether new jobs belong at the top of the list. */
const growsAtTop = ({ pagination, search }: JobListProps): boolean =>
  pagination?.current_page === 1 && !isNarrowed(search)

/**
 * The rows to show of a newer answer: all of it, unless there are new jobs at the top. Those are held back, so that no
 * row moves under the pointer, and rows that they pushed off the page stay.
 */
export function heldRows({ newest, rows }: ReadList, fresh: JobListProps): JobRow[] {
  const { jobs } = fresh
  const top = rows[0]
  const end = jobs.at(-1)
  if (!growsAtTop(newest) || !growsAtTop(fresh) || !top || !end) return jobs
  const names = new Set(rows.map(({ name }) => name))
  if (!jobs.some(({ name, created_at: at }) => !names.has(name) && at >= top.created_at)) return jobs
  const held = rows.flatMap(
    (row) => jobs.find(({ name }) => name === row.name) ?? (row.created_at < end.created_at ? row : []),
  )
  return held.length === 0 ? jobs : held
}
