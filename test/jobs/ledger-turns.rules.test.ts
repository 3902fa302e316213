import { describe, expect, test } from 'vitest'
import { actOn, pause, resume } from '../../src/jobs/ledger/acts.ts'
import { returnMessages } from '../../src/jobs/ledger/messages.ts'
import { claim, claimNext, heartbeat } from '../../src/jobs/ledger/claims.ts'
import { readDetail } from '../../src/jobs/ledger/rows.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { again, end, fail, finish, second, TestLedger, toRequest } from './ledger-rules.ts'

const one = 'one'
const two = 'two'

describe('one at a time', () => {
  test('a job waiting for its exclusive name neither gets a message nor is claimed until the holder ends', () => {
    const ledger = new TestLedger()
    const exclusive = { name: 'school-1', when_held: 'wait' as const }
    const holder = ledger.begin({ exclusive })
    const { result, messages } = ledger.turn((turn) => enqueueAll(turn, [toRequest({ exclusive })]))
    const waiting = result[0]?.id ?? ''
    expect(messages).toEqual([])
    expect(ledger.do((turn) => claim(turn, { job: waiting, attempt: 1 }, two))).toEqual([])
    expect(ledger.do((turn) => claimNext(turn, two, 1))).toEqual([])
    expect(ledger.turn((turn) => finish(turn, holder.job, 1, '1')).messages).toEqual([{ job: waiting, attempt: 1 }])
    ledger.claim({ job: waiting, attempt: 1 })
  })

  test('of many that wait for one name only one gets a message, and others are not delayed', () => {
    const ledger = new TestLedger()
    const exclusive = { name: 'school-1', when_held: 'wait' as const }
    const requests = [...Array.from({ length: 30 }, () => toRequest({ exclusive })), toRequest({ task: 'other' })]
    const { messages } = ledger.turn((turn) => enqueueAll(turn, requests))
    expect(messages.map(({ job }) => job.split('-')[0])).toEqual(['fetch', 'other'])
  })

  test.each(['is enqueued', 'comes due', 'was queued before'])(
    'one that skips its turn ends as joined when it %s',
    (when) => {
      const ledger = new TestLedger()
      const exclusive = { name: 'poll-1', when_held: 'skip' as const }
      const early = when === 'was queued before' ? ledger.enqueue({ exclusive }).id : null
      const holder = ledger.begin({ exclusive, priority: 1 })
      const job = early ?? ledger.enqueue({ exclusive, at: ledger.now + (when === 'comes due' ? second : 0) }).id
      ledger.now += second
      ledger.do(() => undefined)
      expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({
        state: 'finished',
        result: { joined: true, job: holder.job },
      })
    },
  )
})

describe('messages', () => {
  test('a few messages are sent ahead, and more once half of them were claimed', () => {
    const ledger = new TestLedger()
    const { result, messages } = ledger.turn((turn) =>
      enqueueAll(
        turn,
        Array.from({ length: 50 }, () => toRequest()),
      ),
    )
    expect(messages).toHaveLength(20)
    const sent = result
      .slice(0, 10)
      .map(({ id }) => ledger.turn((turn) => claim(turn, { job: id, attempt: 1 }, one)).messages.length)
    expect(sent).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 10])
  })

  test('a message that no one claimed is sent again after a minute', () => {
    const ledger = new TestLedger()
    const { messages, wake_at } = ledger.turn((turn) => enqueueAll(turn, [toRequest()]))
    expect(wake_at).toBe(ledger.now + 60 * second)
    ledger.now += 59 * second
    expect(ledger.turn(() => undefined).messages).toEqual([])
    ledger.now += second
    expect(ledger.turn(() => undefined).messages).toEqual(messages)
  })

  test('messages that could not be sent are sent after a pause', () => {
    const ledger = new TestLedger()
    const { messages } = ledger.turn((turn) => enqueueAll(turn, [toRequest(), toRequest()]))
    const failed = ledger.turn((turn) => returnMessages(turn, messages, turn.now + 2 * second))
    expect([failed.messages, failed.wake_at]).toEqual([[], ledger.now + 2 * second])
    ledger.now += 2 * second
    expect(ledger.turn(() => undefined).messages).toEqual(messages)
  })

  test('while sends fail, an unclaimed message does not trigger the alarm again and again', () => {
    const ledger = new TestLedger()
    ledger.enqueue()
    ledger.now += 59 * second
    const { messages } = ledger.turn((turn) => enqueueAll(turn, [toRequest()]))
    const pauseUntil = ledger.now + 4 * second
    ledger.do((turn) => returnMessages(turn, messages, pauseUntil))
    ledger.now += 2 * second
    expect(ledger.turn(() => undefined)).toMatchObject({ messages: [], wake_at: pauseUntil })
    ledger.now = pauseUntil
    expect(ledger.turn(() => undefined).messages).toHaveLength(2)
  })

  test('a paused queue accepts jobs, sends no message and starts none, until it is resumed', () => {
    const ledger = new TestLedger()
    const early = ledger.enqueue().id
    const running = ledger.begin()
    ledger.do((turn) => pause(turn, 'ada'))
    expect(ledger.do((turn) => claim(turn, { job: early, attempt: 1 }, two))).toEqual([])
    const { result, messages } = ledger.turn((turn) => enqueueAll(turn, [toRequest()]))
    expect(messages).toEqual([])
    expect(ledger.do((turn) => claimNext(turn, two, 1))).toEqual([])
    ledger.do((turn) => finish(turn, running.job, 1, '1'))
    expect(ledger.do((turn) => readDetail(turn, running.job))?.state).toBe('finished')
    expect(ledger.turn((turn) => resume(turn, 'ada')).messages.map(({ job }) => job)).toEqual([early, result[0]?.id])
  })
})

describe('a person', () => {
  test('cancels waiting jobs, and asks running ones to stop', () => {
    const ledger = new TestLedger()
    const waiting = ledger.enqueue().id
    const running = ledger.begin()
    expect(ledger.do((turn) => actOn(turn, 'cancel', waiting, 'ada'))).toEqual({
      done: true,
      state: 'canceled',
      why: '',
    })
    expect(ledger.do((turn) => claim(turn, { job: waiting, attempt: 1 }, two))).toEqual([])
    expect(ledger.do((turn) => actOn(turn, 'cancel', running.job, 'ada'))).toMatchObject({
      done: true,
      state: 'started',
    })
    expect(ledger.do((turn) => heartbeat(turn, running.job, 1))).toBe('stop')
  })

  test('cancels a job between two runs, which is not shown as if it had run until then', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    ledger.now += second
    ledger.do((turn) => again(turn, job, 1, { at: turn.now + 60 * second, input: '{}', priority: null }))
    ledger.now += 30 * second
    ledger.do((turn) => actOn(turn, 'cancel', job, 'ada'))
    const canceled = ledger.do((turn) => readDetail(turn, job))
    expect(canceled).toMatchObject({ state: 'canceled', started_at: null, ended_at: ledger.now })
    expect(canceled?.runs.map(({ started_at: from, ended_at: to }) => (to ?? 0) - from)).toEqual([second])
  })

  test('a job that was asked to stop is not retried, however its attempt ends', () => {
    const ledger = new TestLedger()
    const ends = [
      (job: string) => ledger.do((turn) => fail(turn, job, 1, { error: 'broken', retry_at: null, gives_up: false })),
      (job: string) => ledger.do((turn) => again(turn, job, 1, { at: turn.now, input: '{}', priority: null })),
      () => void (ledger.now += 30 * second),
    ]
    for (const end of ends) {
      const { job } = ledger.begin()
      ledger.do((turn) => actOn(turn, 'stop', job, 'ada'))
      end(job)
      expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ state: 'stopped' })
    }
  })

  test.each(['has not heard of it', 'stops'])(
    'asks again for a job that was asked to stop, whose worker %s',
    (what) => {
      const ledger = new TestLedger()
      const request = { key: 'same', limit: { attempts: 1, run_seconds: 10, retry_seconds: [] } }
      const { job } = ledger.begin(request)
      ledger.do((turn) => actOn(turn, 'stop', job, 'ada'))
      ledger.enqueue(request)
      expect(ledger.do((turn) => heartbeat(turn, job, 1))).toBe('stop')
      const asked = ledger.turn((turn) => enqueueAll(turn, [toRequest({ ...request, asked_by: 'ada' })]))
      expect([asked.result[0]?.id, [...asked.touched]]).toEqual([job, [job]])
      expect(ledger.do((turn) => heartbeat(turn, job, 1))).toBe('continue')
      if (what === 'stops') {
        const reason = 'Someone stopped the job.'
        const { messages } = ledger.turn((turn) => end(turn, job, 1, { how: 'stopped', reason }))
        expect(messages).toEqual([{ job, attempt: 2 }])
        expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ state: 'queued', tries: 0, error: null })
        ledger.claim({ job, attempt: 2 })
      }
      ledger.do((turn) => finish(turn, job, what === 'stops' ? 2 : 1, '1'))
      expect(ledger.do((turn) => readDetail(turn, job))?.state).toBe('finished')
    },
  )

  test('requeues ended jobs with new attempts, and deletes anything but running ones', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin()
    expect(ledger.do((turn) => actOn(turn, 'requeue', job, 'ada')).why).toBe('The job is already started.')
    expect(ledger.do((turn) => actOn(turn, 'delete', job, 'ada')).done).toBe(false)
    ledger.do((turn) => fail(turn, job, 1, { error: 'no', retry_at: null, gives_up: true }))
    const { result, messages } = ledger.turn((turn) => actOn(turn, 'requeue', job, 'ada'))
    expect(result).toMatchObject({ done: true, state: 'queued' })
    expect(messages).toEqual([{ job, attempt: 2 }])
    expect(ledger.do((turn) => readDetail(turn, job))).toMatchObject({ tries: 0, error: null, ended_at: null })
    expect(ledger.do((turn) => actOn(turn, 'delete', job, 'ada')).done).toBe(true)
    expect(ledger.do((turn) => readDetail(turn, job))).toBeNull()
  })

  test('cannot requeue a job whose work another is doing', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ key: 'same' })
    ledger.do((turn) => finish(turn, job, 1, '1'))
    const living = ledger.enqueue({ key: 'same' }).id
    expect(ledger.do((turn) => actOn(turn, 'requeue', job, 'ada')).why).toContain(living)
  })

  test('cannot requeue a job that would only join a running one, but one that waits for it', () => {
    for (const when_held of ['skip', 'wait'] as const) {
      const ledger = new TestLedger()
      const exclusive = { name: 'poll-1', when_held }
      const { job } = ledger.begin({ exclusive })
      ledger.do((turn) => finish(turn, job, 1, '1'))
      const running = ledger.begin({ exclusive }).job
      const { done, why } = ledger.do((turn) => actOn(turn, 'requeue', job, 'ada'))
      expect([done, why.includes(running)], when_held).toEqual(when_held === 'wait' ? [true, false] : [false, true])
    }
  })
})
