import { describe, expect, test } from 'vitest'
import { actOn } from '../../src/jobs/ledger/acts.ts'
import { heartbeat } from '../../src/jobs/ledger/claims.ts'
import { readDetail } from '../../src/jobs/ledger/rows.ts'
import { again, end, fail, finish, minute, second, TestLedger } from './ledger-rules.ts'

const exclusive = { name: 'poll-1', when_held: 'skip' as const }

/** The job as it is once the time has come. */
function detailOf(ledger: TestLedger, job: string) {
  return ledger.do((turn) => readDetail(turn, job))
}

test('a job with skip waits behind a job of another kind with the same name', () => {
  const ledger = new TestLedger()
  const look = ledger.begin({ exclusive: { ...exclusive, when_held: 'wait' } })
  const round = ledger.enqueue({ exclusive })
  expect(detailOf(ledger, round.id)?.state).toBe('queued')
  const { messages } = ledger.turn((turn) => finish(turn, look.job, 1, '1'))
  expect(messages).toEqual([{ job: round.id, attempt: 1 }])
  ledger.claim({ job: round.id, attempt: 1 })
  const next = ledger.enqueue({ exclusive })
  expect(detailOf(ledger, next.id)?.state).toBe('finished')
})

describe('a job that runs again soon', () => {
  /** A job between two runs. */
  function between(delay: number) {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => again(turn, job, 1, { at: ledger.now + delay, input: '{"round":1}', priority: null }))
    return { ledger, job }
  }

  test.each([
    ['before it', minute, 61 * second],
    ['long before it', minute, 5 * minute],
    ['with it', 61 * second, 61 * second],
  ])('is joined by one that comes due %s', (_when, dueAfter, delay) => {
    const { ledger, job } = between(delay)
    const tick = ledger.enqueue({ exclusive, at: ledger.now + dueAfter }).id
    ledger.now += dueAfter
    expect(detailOf(ledger, tick)).toMatchObject({ state: 'finished', result: { joined: true, job } })
    ledger.now += delay - dueAfter
    ledger.do(() => undefined)
    expect(ledger.claim({ job, attempt: 2 }).input).toBe('{"round":1}')
  })

  test('is joined while one of another kind runs, which does not wait for it', () => {
    const { ledger, job } = between(30 * second)
    const person = ledger.begin({ exclusive: { ...exclusive, when_held: 'wait' }, priority: 10 })
    const tick = ledger.enqueue({ exclusive }).id
    expect(detailOf(ledger, tick)).toMatchObject({ state: 'finished', result: { joined: true, job } })
    ledger.do((turn) => finish(turn, person.job, 1, '1'))
    expect(detailOf(ledger, job)?.state).toBe('scheduled')
  })

  test('does not keep others from running once it is canceled', () => {
    const { ledger, job } = between(30 * second)
    ledger.do((turn) => actOn(turn, 'cancel', job, 'ada'))
    ledger.begin({ exclusive })
  })
})

describe('does not keep others from running:', () => {
  test('a job that runs again much later, until it is soon', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => again(turn, job, 1, { at: ledger.now + 30 * minute, input: '{}', priority: null }))
    const { job: tick } = ledger.begin({ exclusive })
    ledger.do((turn) => finish(turn, tick, 1, '1'))
    ledger.now += 26 * minute
    expect(detailOf(ledger, ledger.enqueue({ exclusive }).id)).toMatchObject({ result: { joined: true, job } })
  })

  test('a job that runs again much later, which joins what runs by then', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => again(turn, job, 1, { at: ledger.now + 7 * minute, input: '{}', priority: null }))
    ledger.now += minute - second
    const tick = ledger.begin({ exclusive, limit: { attempts: 1, run_seconds: 600, retry_seconds: [] } })
    for (let beat = 0; beat < 37; beat += 1) {
      ledger.now += 10 * second
      ledger.do((turn) => heartbeat(turn, tick.job, 1))
    }
    const result = { joined: true, job: tick.job }
    expect(detailOf(ledger, job)).toMatchObject({ state: 'finished', result, started_at: null })
  })

  test('a job that failed and is tried again', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => fail(turn, job, 1, { error: 'broken', retry_at: null, gives_up: false }))
    const tick = ledger.begin({ exclusive })
    ledger.now += 6 * second
    expect(detailOf(ledger, job)).toMatchObject({ state: 'finished', result: { joined: true, job: tick.job } })
  })

  test('a job that failed when it ran again', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => again(turn, job, 1, { at: ledger.now, input: '{}', priority: null }))
    ledger.claim({ job, attempt: 2 })
    ledger.do((turn) => fail(turn, job, 2, { error: 'broken', retry_at: null, gives_up: false }))
    ledger.begin({ exclusive })
  })

  test('a job whose task is unknown to this version', () => {
    const ledger = new TestLedger()
    const { job } = ledger.begin({ exclusive })
    ledger.do((turn) => end(turn, job, 1, { how: 'returned', reason: 'This version has no such job.' }))
    ledger.begin({ exclusive })
  })
})
