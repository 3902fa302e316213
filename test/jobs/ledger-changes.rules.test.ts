import { expect, test } from 'vitest'
import { actOn, pause, resume } from '../../src/jobs/ledger/acts.ts'
import { claimNext, heartbeat, log, progress } from '../../src/jobs/ledger/claims.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { prune } from '../../src/jobs/ledger/prune.ts'
import { noteSchedules, setSchedule } from '../../src/jobs/ledger/schedules.ts'
import { writeTick } from '../../src/jobs/ledger/settings.ts'
import type { Transaction } from '../../src/jobs/ledger/sql.ts'
import { day, finish, setTo, start, TestLedger, toRequest } from './ledger-rules.ts'

/** What pages are notified of: names of jobs, or `queue` for anything else. */
function changesOf(ledger: TestLedger, call: (tx: Transaction) => unknown): string[] {
  const { touched, isQueueTouched } = ledger.turn(call)
  return [...touched, ...(isQueueTouched ? ['queue'] : [])]
}

test('every step of a job is a change of that job, but a heartbeat is not', () => {
  const ledger = new TestLedger()
  const [name = ''] = ledger.fill(1)
  expect(changesOf(ledger, (tx) => enqueueAll(tx, [toRequest()]))).toHaveLength(1)
  expect(changesOf(ledger, (tx) => claimNext(tx, 'one', 1))).toEqual([name])
  expect(changesOf(ledger, (tx) => heartbeat(tx, name, 1))).toEqual([])
  expect(changesOf(ledger, (tx) => progress(tx, name, 1, 1, 2, 'half'))).toEqual([name])
  expect(changesOf(ledger, (tx) => log(tx, name, 1, 'a line'))).toEqual([name])
  expect(changesOf(ledger, (tx) => actOn(tx, 'stop', name, 'staff'))).toEqual([name, 'queue'])
  expect(changesOf(ledger, (tx) => finish(tx, name, 1, 'null'))).toEqual([name])
  expect(changesOf(ledger, (tx) => finish(tx, name, 1, 'null'))).toEqual([])
})

test('a pause, a setting, a schedule, the minute tick and a deletion are changes of the queue, but a refusal is not', () => {
  const ledger = new TestLedger('maintenance')
  const changes: [string, (tx: Transaction) => unknown][] = [
    ['pause', (tx) => pause(tx, 'staff')],
    ['resume', (tx) => resume(tx, 'staff')],
    ['setting', (tx) => setTo(tx, { keep_days: 3 })],
    ['schedule', (tx) => setSchedule(tx, 'nightly', false, 'staff')],
    ['its run', (tx) => noteSchedules(tx, [{ name: 'nightly', at: start, error: '' }])],
    ['tick', writeTick],
  ]
  for (const [what, call] of changes) expect(changesOf(ledger, call), what).toEqual(['queue'])
  const refused: [string, (tx: Transaction) => unknown][] = [
    ['resume', (tx) => resume(tx, 'staff')],
    ['setting', (tx) => setTo(tx, { keep_days: 0 })],
    ['schedule', (tx) => setSchedule(tx, 'nightly', false, 'staff')],
    ['job', (tx) => actOn(tx, 'delete', 'none', 'staff')],
    ['no runs', (tx) => noteSchedules(tx, [])],
    ['nothing to claim', (tx) => claimNext(tx, 'one', 1)],
    ['nothing old', prune],
  ]
  for (const [what, call] of refused) expect(changesOf(ledger, call), what).toEqual([])
  const { job } = ledger.begin()
  ledger.do((tx) => finish(tx, job, 1, 'null'))
  ledger.now += 4 * day
  expect(changesOf(ledger, prune)).toEqual(['queue'])
})
