import { describe, expect, test } from 'vitest'
import { actOn } from '../../src/jobs/ledger/acts.ts'
import { claim, claimNext, heartbeat, shareOf } from '../../src/jobs/ledger/claims.ts'
import { readDetail } from '../../src/jobs/ledger/rows.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { queueOfJob } from '../../src/jobs/job.ts'
import { readMinutes } from '../../src/jobs/ledger/tally.ts'
import { readWorkers } from '../../src/jobs/ledger/workers.ts'
import { again, end, fail, finish, minute, second, start, TestLedger, toRequest } from './ledger-rules.ts'

const one = 'one'
const two = 'two'

describe('names', () => {
  test('a name is unique, fits into a URL, sorts by time and contains its queue', () => {
    const ledger = new TestLedger('alerts')
    const names = Array.from({ length: 50 }, () => {
      ledger.now += 7
      return [ledger.enqueue({ task: 'Send Alert' }).id, ledger.enqueue({ task: 'Send Alert' }).id]
    }).flat()
    expect(new Set(names).size).toBe(100)
    expect(names.toSorted()).toEqual(names)
    for (const name of names) {
      expect(name).toMatch(/^send-alert-[0-9a-v]+$/)
      expect(queueOfJob(name)).toBe('alerts')
    }
  })

  test.each(['', 'x', 'send-alert', 'send-alert-123a', 'send-alert-1k3250r0000001z', '../jobs/1k3250r0000001a'])(
    'no queue has a job named %j',
    (name) => expect(queueOfJob(name)).toBeNull(),
  )
})

test.each([
  [0, 6],
  [144, 6],
  [300, 13],
  [3000, 125],
])('of %i queued jobs a worker runs %i at a time at most', (jobs, share) => {
  const ledger = new TestLedger('alerts')
  ledger.fill(jobs)
  expect(ledger.do(shareOf)).toBe(share)
})

describe('enqueueing', () => {
  test('a key returns the unfinished job, and a new one after its end', () => {
    const ledger = new TestLedger()
    const job = ledger.enqueue({ key: 'term-1' })
    expect(ledger.enqueue({ key: 'term-1' }).id).toBe(job.id)
    const claimed = ledger.claim({ job: job.id, attempt: 1 })
    expect(ledger.enqueue({ key: 'term-1' }).id).toBe(job.id)
    ledger.do((turn) => finish(turn, claimed.job, 1, '1'))
    expect(ledger.enqueue({ key: 'term-1' }).id).not.toBe(job.id)
  })

  test('joining with a higher priority moves the job ahead; joining without one changes nothing', () => {
    const ledger = new TestLedger()
    const job = ledger.enqueue({ key: 'night', at: ledger.now + 60_000 })
    expect(job.state).toBe('scheduled')
    expect(ledger.enqueue({ key: 'night' })).toMatchObject({ id: job.id, state: 'scheduled', due_at: job.due_at })
    expect(ledger.enqueue({ key: 'night', priority: 10 })).toMatchObject({ id: job.id, state: 'queued' })
  })

  test('the same key twice in one call is one job, returned twice', () => {
    const ledger = new TestLedger()
    const records = ledger.do((turn) =>
      enqueueAll(turn, [toRequest({ key: 'a' }), toRequest(), toRequest({ key: 'a' })]),
    )
    expect(records.map(({ id }) => id)).toEqual([records[0]?.id, records[1]?.id, records[0]?.id])
    expect(records[1]?.id).not.toBe(records[0]?.id)
  })

  test('a scheduled job gets its message when it is due, not before', () => {
    const ledger = new TestLedger()
    const { result, messages, wake_at } = ledger.turn((turn) =>
      enqueueAll(turn, [toRequest({ at: turn.now + 5 * second })]),
    )
    expect(result[0]?.state).toBe('scheduled')
    expect([messages, wake_at]).toEqual([[], ledger.now + 5 * second])
    ledger.now += 5 * second
    expect(ledger.turn(() => undefined).messages).toEqual([{ job: result[0]?.id, attempt: 1 }])
  })
})

describe('claims', () => {
  test('a duplicated message is refused, and so are messages of unknown, scheduled and ended jobs', () => {
    const ledger = new TestLedger()
    const job = ledger.enqueue().id
    const later = ledger.enqueue({ at: ledger.now + second }).id
    ledger.claim({ job, attempt: 1 })
    const claimed = (job: string) => ledger.do((turn) => claim(turn, { job, attempt: 1 }, two))
    expect([job, later, 'nothing'].flatMap(claimed)).toEqual([])
    ledger.do((turn) => finish(turn, job, 1, 'null'))
    expect(claimed(job)).toEqual([])
  })

  test('a late message of an earlier attempt does not start the next one', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    ledger.do((turn) => fail(turn, job, 1, { error: 'no', retry_at: turn.now, gives_up: false }))
    expect(ledger.do((turn) => claim(turn, { job, attempt: 1 }, two))).toEqual([])
    expect(ledger.claim({ job, attempt: 2 }).attempt).toBe(2)
  })

  test('a job that a person started comes first, then the one that has waited longest', () => {
    const ledger = new TestLedger()
    const names = [ledger.enqueue(), ledger.enqueue(), ledger.enqueue({ priority: 10 })].map(({ id }) => id)
    const order = [1, 2].flatMap((count) => ledger.do((turn) => claimNext(turn, one, count)))
    expect(order.map(({ job }) => job)).toEqual([names[2], names[0], names[1]])
    expect(ledger.do((turn) => claimNext(turn, one, 1))).toEqual([])
  })

  test('several are claimed at once, but only one with each exclusive name', () => {
    const ledger = new TestLedger()
    const exclusive = { name: 'school-1', when_held: 'wait' as const }
    const first = ledger.enqueue({ exclusive }).id
    ledger.enqueue({ exclusive })
    const joining = ledger.enqueue({ exclusive: { name: 'school-2', when_held: 'skip' } }).id
    const joined = ledger.enqueue({ exclusive: { name: 'school-2', when_held: 'skip' } }).id
    const free = ledger.fill(2)
    const claimed = ledger.do((turn) => claimNext(turn, one, 10))
    expect(claimed.map(({ job }) => job)).toEqual([first, joining, ...free])
    expect(ledger.do((turn) => readDetail(turn, joined))).toMatchObject({ state: 'finished', result: { joined: true } })
    expect(ledger.do((turn) => claimNext(turn, one, 10))).toEqual([])
  })

  test('a worker that ends jobs and takes others in one call counts as busy throughout', () => {
    const ledger = new TestLedger()
    const [first = '', next = '', third = ''] = ledger.fill(4)
    ledger.do((turn) => claimNext(turn, one, 3))
    ledger.now += 2 * second
    ledger.do((turn) => {
      for (const job of [first, next, third]) finish(turn, job, 1, '1')
      return claimNext(turn, one, 1)
    })
    ledger.now += second
    expect(readWorkers(ledger, false)).toMatchObject([
      { name: one, state: 'busy', successful: 3, failed: 0, busy_ms: 3 * second },
    ])
    expect(readMinutes(ledger, start, start + minute, 1)).toMatchObject([{ started: 4, finished: 3 }])
  })

  test('heartbeats keep a job past its first lease, but not far past its deadline', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ limit: { attempts: 2, run_seconds: 15, retry_seconds: [0] } })
    for (let beats = 0; beats < 3; beats += 1) {
      ledger.now += 8 * second
      expect(ledger.do((turn) => heartbeat(turn, job, 1))).toBe('continue')
    }
    ledger.now += 1 * second
    expect(ledger.do((turn) => heartbeat(turn, job, 1))).toBe('lost')
    expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ state: 'queued', attempt: 2, tries: 1 })
  })

  test('reports of an old attempt change nothing', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ limit: { attempts: 2, run_seconds: 10, retry_seconds: [0] } }, 'one')
    ledger.now += 21 * second
    ledger.claim({ job, attempt: 2 }, 'two')
    const before = ledger.do((turn) => readDetail(turn, job))
    ledger.do((turn) => finish(turn, job, 1, '"old"'))
    ledger.do((turn) => fail(turn, job, 1, { error: 'old', retry_at: null, gives_up: true }))
    expect(ledger.do((turn) => heartbeat(turn, job, 1))).toBe('lost')
    expect(ledger.do((turn) => readDetail(turn, job))).toEqual(before)
    expect(before).toMatchObject({ state: 'started', attempt: 2, worker: 'two' })
  })
})

describe('retries', () => {
  test('each retry has its own delay, the last delay repeats, then the job has failed', () => {
    const ledger = new TestLedger()
    const { id: job } = ledger.enqueue({ limit: { attempts: 4, run_seconds: 10, retry_seconds: [5, 60] } })
    const waits: number[] = []
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      ledger.claim({ job, attempt })
      ledger.do((turn) => fail(turn, job, attempt, { error: `no ${attempt}`, retry_at: null, gives_up: false }))
      const due = ledger.do((turn) => readDetail(turn, job))?.due_at ?? 0
      waits.push((due - ledger.now) / second)
      ledger.now = Math.max(ledger.now, due)
    }
    expect(waits.slice(0, 3)).toEqual([5, 60, 60])
    expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ state: 'failed', error: 'no 4', tries: 4 })
  })

  test('a job can set the time of its retry, or give up at once', () => {
    const ledger = new TestLedger()
    const late = ledger.begin()
    ledger.do((turn) => fail(turn, late.job, 1, { error: 'busy', retry_at: turn.now + 90 * second, gives_up: false }))
    expect(ledger.do((turn) => readDetail(turn, late.job))).toMatchObject({
      state: 'scheduled',
      due_at: ledger.now + 90 * second,
    })
    const hopeless = ledger.begin()
    ledger.do((turn) => fail(turn, hopeless.job, 1, { error: 'wrong number', retry_at: null, gives_up: true }))
    expect(ledger.do((turn) => readDetail(turn, hopeless.job))).toMatchObject({ state: 'failed', tries: 1 })
  })

  test('a job that runs again keeps its name and gets new attempts', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ limit: { attempts: 1, run_seconds: 10, retry_seconds: [] } })
    ledger.do((turn) => again(turn, job, 1, { at: turn.now + second, input: '{"page":2}', priority: null }))
    ledger.now += second
    expect(ledger.claim({ job, attempt: 2 }).input).toBe('{"page":2}')
    expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ tries: 1, state: 'started', input: { page: 2 } })
  })

  test('a job that runs again with a priority precedes those that have waited longer, and keeps the priority', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    const [other = ''] = ledger.fill(2)
    const next = () => ledger.do((turn) => claimNext(turn, 'one', 1))
    ledger.do((turn) => again(turn, job, 1, { at: turn.now + second, input: '{}', priority: 20 }))
    ledger.now += 2 * second
    expect(next()).toMatchObject([{ job, attempt: 2 }])
    ledger.do((turn) => again(turn, job, 2, { at: turn.now + second, input: '{}', priority: null }))
    ledger.now += 2 * second
    expect(next()).toMatchObject([{ job, attempt: 3 }])
    expect(next()).toMatchObject([{ job: other }])
  })

  test('an end reported twice because its answer was lost is counted once', () => {
    const ledger = new TestLedger()
    const [done, other] = [ledger.begin().job, ledger.begin().job]
    for (let reports = 0; reports < 2; reports += 1) {
      ledger.do((turn) => finish(turn, done, 1, '7'))
      ledger.do((turn) => fail(turn, other, 1, { error: 'no', retry_at: null, gives_up: false }))
    }
    expect(ledger.do((turn) => readDetail(turn, other))).toMatchObject({ attempt: 2, tries: 1 })
    expect(readMinutes(ledger, start, start + minute, 1)).toMatchObject([{ finished: 1, retried: 1 }])
    expect(readWorkers(ledger, false)).toMatchObject([{ state: 'idle', successful: 1, failed: 1 }])
  })
})

describe('a task that the claiming version does not know', () => {
  const returned = (ledger: TestLedger, job: string, attempt: number) =>
    ledger.do((turn) => end(turn, job, attempt, { how: 'returned', reason: 'This version has no job named fetch.' }))
  const stateOf = (ledger: TestLedger, job: string) => ledger.do((turn) => readDetail(turn, job))

  test('is returned unchanged: no attempt is counted, no error is stored, and it waits for another version', () => {
    const ledger = new TestLedger()
    const { id } = ledger.enqueue({
      input: '{"a":1}',
      key: 'k',
      limit: { attempts: 1, run_seconds: 10, retry_seconds: [5] },
    })
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      ledger.claim({ job: id, attempt }, 'old')
      returned(ledger, id, attempt)
      expect(stateOf(ledger, id)).toMatchObject({ state: 'scheduled', tries: 0, error: null, input: { a: 1 } })
      ledger.now += 60 * second
      ledger.turn(() => undefined)
    }
    expect(ledger.enqueue({ key: 'k' }).id).toBe(id)
    const claimed = ledger.claim({ job: id, attempt: 21 }, 'new')
    expect(claimed.input).toBe('{"a":1}')
    ledger.do((turn) => finish(turn, id, 21, '"done"'))
    expect(stateOf(ledger, id)).toMatchObject({ state: 'finished', result: 'done' })
  })

  test('is not claimed again at once, with or without its message', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    returned(ledger, job, 1)
    expect(ledger.do((turn) => claimNext(turn, one, 1))).toEqual([])
    for (const attempt of [1, 2]) expect(ledger.do((turn) => claim(turn, { job, attempt }, one))).toEqual([])
  })

  test("frees its exclusive name, so that the version's own jobs continue", () => {
    const ledger = new TestLedger()
    const exclusive = { name: 'source-1', when_held: 'wait' } as const
    const { job } = ledger.begin({ exclusive })
    const other = ledger.enqueue({ exclusive })
    returned(ledger, job, 1)
    expect(ledger.claim({ job: other.id, attempt: 1 }).job).toBe(other.id)
  })

  test('returned twice, or late, does not affect a newer attempt', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    for (let reports = 0; reports < 2; reports += 1) returned(ledger, job, 1)
    expect(stateOf(ledger, job)).toMatchObject({ state: 'scheduled', attempt: 2, tries: 0 })
    ledger.now += 60 * second
    ledger.turn(() => undefined)
    ledger.claim({ job, attempt: 2 }, 'new')
    returned(ledger, job, 1)
    expect(stateOf(ledger, job)).toMatchObject({ state: 'started', attempt: 2 })
  })

  test('is stopped if a person asked for it', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    ledger.do((turn) => actOn(turn, 'stop', job, 'ada'))
    returned(ledger, job, 1)
    expect(stateOf(ledger, job)).toMatchObject({ state: 'stopped' })
  })

  test('that no version has known for a day has failed, and starts over when requeued', () => {
    const ledger = new TestLedger()
    const { id } = ledger.enqueue()
    let attempt = 1
    const giveUpAt = ledger.now + 24 * 3600 * second
    for (; ledger.now < giveUpAt; attempt += 1) {
      ledger.claim({ job: id, attempt }, 'old')
      returned(ledger, id, attempt)
      expect(stateOf(ledger, id)).toMatchObject({ state: 'scheduled' })
      ledger.now += 3600 * second
      ledger.turn(() => undefined)
    }
    ledger.claim({ job: id, attempt }, 'old')
    returned(ledger, id, attempt)
    expect(stateOf(ledger, id)).toMatchObject({ state: 'failed', error: 'This version has no job named fetch.' })
    ledger.do((turn) => actOn(turn, 'requeue', id, 'ada'))
    ledger.claim({ job: id, attempt: attempt + 1 }, 'old')
    returned(ledger, id, attempt + 1)
    expect(stateOf(ledger, id)).toMatchObject({ state: 'scheduled' })
  })
})
