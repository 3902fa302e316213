import { expect, test } from 'vitest'
import type { JobFilter, Registry } from '../../src/jobs/ledger/views.ts'
import { actOnMany } from '../../src/jobs/ledger/acts.ts'
import { readAudit } from '../../src/jobs/ledger/audit.ts'
import { heartbeat, log, progress } from '../../src/jobs/ledger/claims.ts'
import { readStats } from '../../src/jobs/ledger/counters.ts'
import { queueDue } from '../../src/jobs/ledger/due.ts'
import { readDetail, readTasks } from '../../src/jobs/ledger/rows.ts'
import { listJobs } from '../../src/jobs/ledger/search.ts'
import { readMinutes } from '../../src/jobs/ledger/tally.ts'
import { readRunsOfWorker, readWorkers, readWorkersByName } from '../../src/jobs/ledger/workers.ts'
import { again, day, fail, finish, minute, second, start, TestLedger } from './ledger-rules.ts'

/** Follows the cursor to the end. */
function searchAll(ledger: TestLedger, filter: JobFilter & { size?: number }): { found: string[]; calls: number } {
  const found: string[] = []
  let cursor: number | null = null
  let calls = 0
  do {
    const list = ledger.do((turn) => listJobs(turn, { ...filter, ...(cursor === null ? {} : { cursor }) }))
    found.push(...list.jobs.map(({ id }) => id))
    cursor = list.cursor
    calls += 1
  } while (cursor !== null)
  return { found, calls }
}

test('a registry is paged by its maintained counter, newest first, and a page past the end is the last', () => {
  const ledger = new TestLedger()
  const names = ledger.fill(45).toReversed()
  const page = (number: number) => ledger.do((turn) => listJobs(turn, { registry: 'queued', page: number }))
  expect(page(1)).toMatchObject({ total: 45, total_pages: 3, page: 1 })
  expect([1, 2, 3].flatMap((number) => page(number).jobs.map(({ id }) => id))).toEqual(names)
  expect(page(99)).toEqual(page(3))
  expect(page(-1)).toEqual(page(1))
  expect(ledger.do((turn) => listJobs(turn, { registry: 'failed' }))).toMatchObject({
    jobs: [],
    total: 0,
    total_pages: 1,
  })
})

test('the jobs that ended last come first, and the scheduled ones newest first', () => {
  const ledger = new TestLedger()
  const names = ledger.fill(6)
  // The oldest ends last.
  for (const name of names.toReversed()) {
    ledger.now += minute
    ledger.do((turn) => actOnMany(turn, { act: 'cancel', jobs: [name], by: null }))
  }
  const page = (registry: Registry, number: number) =>
    ledger.do((turn) => listJobs(turn, { registry, page: number, size: 4 })).jobs.map(({ id }) => id)
  expect([...page('canceled', 1), ...page('canceled', 2)]).toEqual(names)
  const dueIn = [3, 1, 2, 1].map((minutes) => ledger.enqueue({ at: ledger.now + minutes * minute }).id)
  expect(page('scheduled', 1)).toEqual(dueIn.toReversed())
})

test('finished and stopped jobs share a registry and can be distinguished', () => {
  const ledger = new TestLedger()
  const finished = ledger.begin().job
  ledger.do((turn) => finish(turn, finished, 1, '1'))
  const stopped = ledger.begin().job
  ledger.do((turn) => actOnMany(turn, { act: 'stop', jobs: [stopped], by: null }))
  ledger.do((turn) => fail(turn, stopped, 1, { error: 'gave way', retry_at: null, gives_up: false }))
  const ids = (filter: JobFilter) => ledger.do((turn) => listJobs(turn, filter)).jobs.map(({ id }) => id)
  expect(ids({ registry: 'finished' })).toEqual([stopped, finished])
  expect(ids({ state: 'stopped' })).toEqual([stopped])
  expect(ids({ state: 'finished' })).toEqual([finished])
})

test('a search finds text in name, input and error, ignoring case, including wildcard characters', () => {
  const ledger = new TestLedger()
  const inInput = ledger.enqueue({ input: JSON.stringify({ subject: 'CIS 100%_*' }) }).id
  const inName = ledger.enqueue({ task: 'Nightly Terms' }).id
  const inError = ledger.begin().job
  ledger.do((turn) =>
    fail(turn, inError, 1, { error: 'Error: Expected JSON, got HTML', retry_at: null, gives_up: true }),
  )
  ledger.fill(5)
  const found = (q: string) => searchAll(ledger, { q }).found
  expect(found('100%_*')).toEqual([inInput])
  expect(found('nightly-')).toEqual([inName])
  expect(found('got html')).toEqual([inError])
  expect(found('x'.repeat(200))).toEqual([])
})

test('a search reads five thousand rows per turn and continues where it stopped', () => {
  const ledger = new TestLedger()
  const oldest = ledger.enqueue({ task: 'rare' }).id
  for (let thousands = 0; thousands < 12; thousands += 1) ledger.fill(1000)
  const newest = ledger.enqueue({ task: 'rare' }).id
  expect(searchAll(ledger, { task: 'rare' })).toEqual({ found: [newest, oldest], calls: 3 })
  expect(searchAll(ledger, { registry: 'queued', q: 'fetch', size: 500 }).found).toHaveLength(12_000)
})

test('times narrow a search by the index', () => {
  const ledger = new TestLedger()
  const names = Array.from({ length: 6 }, () => {
    ledger.now += minute
    return ledger.enqueue().id
  })
  const found = (filter: JobFilter) => searchAll(ledger, filter).found
  expect(found({ since: start + 3 * minute })).toEqual(names.slice(2).toReversed())
  expect(found({ until: start + 3 * minute })).toEqual(names.slice(0, 2).toReversed())
  expect(found({ since: start + 2 * minute, until: start + 4 * minute, registry: 'queued' })).toEqual(
    names.slice(1, 3).toReversed(),
  )
})

test('a bulk action covers everything that a filter matches in chunks, skipping newer jobs', () => {
  const ledger = new TestLedger()
  for (let hundreds = 0; hundreds < 12; hundreds += 1) ledger.fill(100)
  let cursor: number | null = null
  const done: number[] = []
  do {
    const from: { cursor?: number } = cursor === null ? {} : { cursor }
    const result = ledger.do((turn) =>
      actOnMany(turn, { act: 'cancel', filter: { registry: 'queued' }, by: 'ada', ...from }),
    )
    done.push(result.done)
    cursor = result.cursor
    ledger.fill(10)
  } while (cursor !== null)
  expect(done).toEqual([500, 500, 200])
  expect(ledger.do(readStats).counts).toMatchObject({ canceled: 1200, queued: 30 })
  expect(ledger.do((turn) => readAudit(turn, null, 10)).map(({ who, act, jobs }) => ({ who, act, jobs }))).toEqual([
    { who: 'ada', act: 'cancel', jobs: 1200 },
  ])
  for (const by of ['bob', 'ada'])
    ledger.do((turn) => actOnMany(turn, { act: 'cancel', filter: { registry: 'queued' }, cursor: 1205, by }))
  expect(ledger.do((turn) => readAudit(turn, null, 10)).map(({ who, jobs }) => ({ who, jobs }))).toEqual([
    { who: 'bob', jobs: 4 },
    { who: 'ada', jobs: 1200 },
  ])
})

test('a bulk action leaves jobs alone that came into the list after the question, however old they are', () => {
  const ledger = new TestLedger()
  const actSince = (registry: Registry, began_at: number) =>
    ledger.do((tx) => actOnMany(tx, { act: 'cancel', filter: { registry }, by: null, began_at })).done
  const soon = ledger.now + minute
  ledger.enqueue({ at: soon })
  const continuing = ledger.begin().job
  const running = ledger.enqueue().id
  ledger.enqueue()
  const asked = ledger.now
  ledger.now = soon
  ledger.do(queueDue)
  ledger.do((tx) => again(tx, continuing, 1, { at: soon + minute, input: '{}', priority: null }))
  ledger.claim({ job: running, attempt: 1 })
  expect([actSince('scheduled', asked), actSince('active', asked), actSince('queued', asked)]).toEqual([0, 0, 1])
  expect([actSince('scheduled', soon), actSince('active', soon), actSince('queued', soon)]).toEqual([1, 1, 1])
})

test('a bulk action includes jobs that have left their list since the question and come back', () => {
  const ledger = new TestLedger()
  const actSince = (registry: Registry, began_at: number) =>
    ledger.do((tx) => actOnMany(tx, { act: 'cancel', filter: { registry }, by: null, began_at })).done
  const { job } = ledger.begin()
  const asked = ledger.now
  ledger.now += 5 * second
  ledger.do((tx) => again(tx, job, 1, { at: ledger.now, input: '{}', priority: null }))
  const between = ledger.now
  ledger.now += second
  ledger.do(queueDue)
  ledger.claim({ job, attempt: 2 })
  expect(actSince('active', between)).toBe(0)
  expect(actSince('active', asked)).toBe(1)
  const repeated = ledger.enqueue({ at: ledger.now + minute }).id
  const askedAgain = ledger.now
  ledger.now += minute
  ledger.do(queueDue)
  ledger.claim({ job: repeated, attempt: 1 })
  ledger.do((tx) => again(tx, repeated, 1, { at: ledger.now + minute, input: '{}', priority: null }))
  expect(actSince('scheduled', askedAgain)).toBe(1)
})

test('a bulk action on selected jobs says how many it refused', () => {
  const ledger = new TestLedger()
  const running = ledger.begin().job
  const waiting = ledger.enqueue().id
  const result = ledger.do((turn) => actOnMany(turn, { act: 'delete', jobs: [running, waiting, 'unknown'], by: 'ada' }))
  expect(result).toEqual({ done: 1, stop_asked: 0, refused: 2, cursor: null })
})

test('of more workers than are listed, those that work and those seen last are', () => {
  const ledger = new TestLedger()
  const busy = ledger.begin({ limit: { attempts: 1, run_seconds: 3600, retry_seconds: [] } }, 'busy')
  for (let number = 0; number < 501; number += 1) {
    ledger.now += 10
    const { job } = ledger.begin({}, `worker-${number}`)
    ledger.do((turn) => finish(turn, job, 1, '1'))
  }
  ledger.do((turn) => heartbeat(turn, busy.job, 1))
  ledger.now += 15 * second
  const named = (includeGone: boolean) => ledger.do((turn) => readWorkers(turn, includeGone)).map(({ name }) => name)
  for (const includeGone of [false, true]) {
    expect(named(includeGone)).toHaveLength(500)
    expect(named(includeGone)).toEqual(expect.arrayContaining(['busy', 'worker-500']))
    expect(named(includeGone)).not.toContain('worker-0')
  }
})

test('a working worker was last seen at its newest heartbeat', () => {
  const ledger = new TestLedger()
  const seen = () => ledger.do((turn) => readWorkers(turn, false)).map(({ seen_at }) => seen_at - start)
  const { job } = ledger.begin()
  ledger.begin()
  ledger.now += 5 * second
  expect(seen()).toEqual([0])
  ledger.do((turn) => heartbeat(turn, job, 1))
  ledger.now += 5 * second
  expect(seen()).toEqual([5 * second])
})

test("a queue's figures include counts, the oldest waiting job and workers", () => {
  const ledger = new TestLedger()
  const first = ledger.enqueue({ priority: -5 })
  ledger.now += minute
  ledger.begin({}, 'one')
  ledger.begin({}, 'two')
  ledger.enqueue({ at: ledger.now + day })
  expect(ledger.do(readStats)).toMatchObject({
    queue: 'refresh',
    counts: { queued: 1, started: 2, scheduled: 1, finished: 0 },
    oldest_queued_at: first.created_at,
    workers: 2,
    paused: false,
  })
})

test('a worker is busy, then idle for a minute, then gone with its counts kept; busy time is wall time', () => {
  const ledger = new TestLedger()
  const [first, second_] = [ledger.begin(), ledger.begin()]
  ledger.now += 4 * second
  ledger.do((turn) => finish(turn, first.job, 1, '1'))
  ledger.now += 4 * second
  expect(readWorkersByName(ledger, ['one', 'nobody'])).toMatchObject([
    { state: 'busy', current_jobs: [second_.job], busy_ms: 8 * second },
  ])
  ledger.do((turn) => fail(turn, second_.job, 1, { error: 'no', retry_at: null, gives_up: true }))
  ledger.now += 59 * second
  expect(readWorkers(ledger, false)).toMatchObject([{ state: 'idle', successful: 1, failed: 1, busy_ms: 8 * second }])
  ledger.now += second
  expect(readWorkers(ledger, false)).toEqual([])
  expect(readWorkers(ledger, true)).toMatchObject([{ name: 'one', state: 'gone', successful: 1, failed: 1 }])
  const { runs, total } = readRunsOfWorker(ledger, 'one', 20)
  expect(total).toBe(2)
  expect(runs.map(({ outcome }) => outcome)).toEqual(['failed', 'finished'])
})

test('minutes have throughput and percentiles of waiting and running, including minutes without jobs', () => {
  const ledger = new TestLedger()
  for (let number = 1; number <= 20; number += 1) {
    ledger.now = start
    const { id } = ledger.enqueue()
    ledger.now = start + 100
    ledger.claim({ job: id, attempt: 1 })
    ledger.now = start + 100 + number * 100
    ledger.do((turn) => finish(turn, id, 1, '1'))
  }
  const minutes = readMinutes(ledger, start, start + 3 * minute, 1)
  expect(minutes.map(({ at, enqueued, started, finished }) => [at, enqueued, started, finished])).toEqual([
    [start, 20, 20, 20],
    [start + minute, 0, 0, 0],
    [start + 2 * minute, 0, 0, 0],
  ])
  const within = (value: number | null | undefined, wanted: number) => Math.abs((value ?? 0) - wanted) <= wanted / 10
  expect(within(minutes[0]?.wait_p50, 100)).toBe(true)
  expect(within(minutes[0]?.run_p50, 1000)).toBe(true)
  expect(within(minutes[0]?.run_p95, 1900)).toBe(true)
  expect(minutes[1]).toMatchObject({ wait_p50: null, run_p95: null })
  expect(readMinutes(ledger, start, start + 60 * minute, 60)).toMatchObject([{ finished: 20 }])
})

test('a job shows its progress, its newest two hundred log lines and its attempts', () => {
  const ledger = new TestLedger()
  const { job } = ledger.begin({ asked_by: 'ada' })
  ledger.do((turn) => progress(turn, job, 1, 3, 12, 'Queens'))
  for (let number = 1; number <= 203; number += 1) ledger.do((turn) => log(turn, job, 1, `line ${number}`))
  const detail = ledger.do((turn) => readDetail(turn, job))
  expect(detail).toMatchObject({ progress: { done: 3, total: 12, label: 'Queens' }, asked_by: 'ada' })
  expect(detail?.lines).toHaveLength(200)
  expect([detail?.lines[0]?.line, detail?.lines.at(-1)?.line]).toEqual(['line 4', 'line 203'])
  expect(detail?.runs).toMatchObject([{ attempt: 1, worker: 'one', outcome: null }])
  expect(ledger.do(readTasks)).toEqual(['fetch'])
})
