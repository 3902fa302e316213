import { iso, isoOrNull } from '../../web/moment.ts'
import type { JobRecord } from '../job.ts'
import type { Registry } from '../ledger-views.ts'
import { readStats, registryOf } from '../ledger/counters.ts'
import { readJob, toRecord } from '../ledger/rows.ts'
import type { Turn } from '../ledger/sql.ts'
import { countsOf, shownJob, type ShownJob } from '../shown.ts'
import type { LiveView } from './view.ts'

type Reader = Pick<Turn, 'sql' | 'queue' | 'now'>

/** Rows a frame carries at most; of more the viewer is told how many, and loads the page anew. */
const rowsInFrame = 50
/** Failures that float up on the page of all queues. */
const failuresInFrame = 5
/** Lines of a watched job sent again with each frame, so that a viewer who missed a frame can join them. */
const linesInFrame = 20

/** What changed, as one viewer is told. Dates are ISO 8601 in UTC, as the page's own. */
export interface LiveFrame {
  at: string
  queue: {
    name: string
    counts: Record<Registry, number>
    oldest_queued_at: string | null
    workers: number
    paused: boolean
    paused_at: string | null
    paused_by: string | null
    last_tick_at: string | null
  }
  /** Changed jobs that are in the list now (for a queue: that failed; for a job: itself), newest first. */
  jobs: ShownJob[]
  /** Changed jobs that are not in the list now; without a state they are gone. */
  left: { name: string; status: JobRecord['state'] | null }[]
  /** Changed jobs beyond the rows of this frame. */
  more: number
  /** The newest lines of the watched job, oldest first. */
  lines: { at: string; line: string }[]
}

type Moved = { id: string; seq: number; state: JobRecord['state'] }

/** What there is to tell about changed jobs: read once for all viewers. */
export function readChanges(reader: Reader, changed: ReadonlySet<string>): (view: LiveView) => LiveFrame | null {
  const stats = readStats(reader)
  const about = {
    at: iso(reader.now),
    queue: {
      name: stats.queue,
      counts: countsOf(stats),
      oldest_queued_at: isoOrNull(stats.oldest_queued_at),
      workers: stats.workers,
      paused: stats.paused,
      paused_at: isoOrNull(stats.paused_at),
      paused_by: stats.paused_by,
      last_tick_at: isoOrNull(stats.last_tick_at),
    },
  }
  const moved = reader.sql.rows<Moved>(
    'SELECT id, seq, state FROM job WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq DESC',
    JSON.stringify([...changed]),
  )
  const known = new Set(moved.map(({ id }) => id))
  const gone = [...changed].filter((name) => !known.has(name)).map((name) => ({ name, status: null }))
  return (view) => frameOf(reader, view, { about, moved, gone })
}

function frameOf(
  reader: Reader,
  view: LiveView,
  { about, moved, gone }: { about: Pick<LiveFrame, 'at' | 'queue'>; moved: Moved[]; gone: LiveFrame['left'] },
): LiveFrame | null {
  if (view.of === 'queue') {
    const failed = moved.filter(({ state }) => state === 'failed').slice(0, failuresInFrame)
    return { ...about, jobs: rowsOf(reader, failed), left: [], more: 0, lines: [] }
  }
  if (view.of === 'list') {
    const here = moved.filter(({ state }) => registryOf[state] === view.registry)
    const away = moved.filter(({ state }) => registryOf[state] !== view.registry)
    const left = [...away.map(({ id, state }) => ({ name: id, status: state })), ...gone]
    const jobs = rowsOf(reader, here.slice(0, rowsInFrame))
    const more = Math.max(0, here.length - rowsInFrame) + Math.max(0, left.length - rowsInFrame)
    return { ...about, jobs, left: left.slice(0, rowsInFrame), more, lines: [] }
  }
  const itself = moved.filter(({ id }) => id === view.job)
  const left = gone.filter(({ name }) => name === view.job)
  if (itself.length + left.length === 0) return null
  return { ...about, jobs: rowsOf(reader, itself), left, more: 0, lines: linesOf(reader, itself[0]) }
}

function rowsOf({ sql, queue }: Reader, moved: readonly Moved[]): ShownJob[] {
  return moved.flatMap(({ id }) => {
    const row = readJob(sql, id)
    return row ? [shownJob(toRecord(row, queue))] : []
  })
}

function linesOf({ sql }: Reader, job: Moved | undefined): LiveFrame['lines'] {
  if (!job) return []
  return sql
    .rows<{ at: number; line: string }>(
      'SELECT at, line FROM line WHERE job = ? ORDER BY number DESC LIMIT ?',
      job.seq,
      linesInFrame,
    )
    .toReversed()
    .map(({ at, line }) => ({ at: iso(at), line }))
}
