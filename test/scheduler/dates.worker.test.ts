import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'
import type { Visitor } from '../worker/visitor.ts'
import { isoDate, one, operator, write } from '../worker/job-fixtures.ts'

let boss: Visitor
let job = ''

beforeAll(async () => {
  boss = await operator('olga')
  const ledger = ledgerOf(env, 'polls')
  await ledger.pause('olga')
  await ledger.tick()
  await one('polls', { state: 'queued' })
  job = await one('polls', { state: 'failed', error: 'It broke', worker: 'worker-d' })
  const now = Date.now()
  await write(
    'polls',
    `INSERT INTO worker (name, born_at, seen_at) VALUES ('worker-d', ?, ?)`,
    now - 9000,
    now + 3_600_000,
  )
  await write(
    'polls',
    `INSERT INTO run (job, attempt, worker, started_at, ended_at, outcome) SELECT seq, 1, 'worker-d', ?, ?, 'failed' FROM job WHERE id = ?`,
    now - 2500,
    now,
    job,
  )
  await write(
    'polls',
    `INSERT INTO line (job, number, at, line) SELECT seq, 1, ?, 'hi' FROM job WHERE id = ?`,
    now,
    job,
  )
})

/** Every date in a value by its path: what is named as one, and any number that can only be ms since epoch. */
function datesIn(value: unknown, path = ''): [string, unknown][] {
  if (typeof value === 'number' && value > 1e12) return [[path, value]]
  if (typeof value !== 'object' || value === null) {
    return /(?:_at|\.at|since|lease_until)$/.test(path) && value !== null ? [[path, value]] : []
  }
  return Object.entries(value).flatMap(([name, part]) => datesIn(part, `${path}.${name}`))
}

const wrongOf = (dates: [string, unknown][]) =>
  dates.filter(([, date]) => typeof date !== 'string' || !isoDate.test(date))

test.each([
  ['queues/', ['.queues.0.last_tick_at', '.queues.0.oldest_queued_at', '.chart.0.at', '.failures.0.ended_at']],
  ['queues/', ['.schedules.0.next_run_at']],
  ['queues/polls/failed/jobs', ['.queue.last_tick_at', '.chart.0.at', '.jobs.0.created_at', '.jobs.0.ended_at']],
  ['queues/polls/workers/', ['.workers.0.born_at', '.workers.0.seen_at']],
  ['workers/', ['.workers.0.born_at', '.workers.0.seen_at']],
  ['workers/worker-d/', ['.worker.born_at', '.jobs.0.created_at', '.jobs.0.started_at', '.jobs.0.ended_at']],
  ['jobs/{job}/?page=1', ['.job.created_at', '.job.runs.0.started_at', '.job.lines.0.at']],
  ['audit/', ['.entries.0.at']],
])('%s has every date as ISO 8601 in UTC: %j', async (path, some) => {
  const response = await boss.get(`/scheduler/${path.replace('{job}', job)}`, { accept: 'application/json' })
  const dates = datesIn((await response.json<{ props: unknown }>()).props)
  expect(dates.map(([name]) => name)).toEqual(expect.arrayContaining(some))
  expect(wrongOf(dates)).toEqual([])
})
