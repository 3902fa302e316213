import { expect, test } from 'vitest'
import { actOnMany, changeSetting } from '../../src/jobs/ledger/acts.ts'
import { readDetail } from '../../src/jobs/ledger/detail.ts'
import { finish } from '../../src/jobs/ledger/endings.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { prune } from '../../src/jobs/ledger/prune.ts'
import { TestLedger, toRequest } from './ledger-rules.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

function fill(ledger: TestLedger, jobs: number, request = toRequest()): string[] {
  return ledger
    .do((turn) =>
      enqueueAll(
        turn,
        Array.from({ length: jobs }, () => request),
      ),
    )
    .map(({ id }) => id)
}

test('ended jobs go when they are too old or too many, living ones never', () => {
  const ledger = new TestLedger()
  const old = ledger.begin().job
  ledger.do((turn) => finish(turn, old, 1, '1'))
  const waiting = ledger.enqueue({ at: ledger.now + 40 * day }).id
  ledger.now += 14 * day
  expect(ledger.do(prune)).toBe(0)
  ledger.now += 1
  expect(ledger.do(prune)).toBe(1)
  expect(ledger.do((turn) => readDetail(turn, old))).toBeNull()
  expect(ledger.sql.rows('SELECT * FROM run')).toEqual([])

  ledger.do((turn) => changeSetting(turn, 'keep_rows', 1000, 'ada'))
  fill(ledger, 1000)
  ledger.do((turn) => actOnMany(turn, { act: 'cancel', filter: { registry: 'queued' }, by: null }))
  fill(ledger, 10)
  expect(ledger.do(prune)).toBe(11)
  expect(ledger.do((turn) => readDetail(turn, waiting))?.state).toBe('scheduled')
})

test('a setting out of its bounds is refused', () => {
  const ledger = new TestLedger()
  expect(ledger.do((turn) => changeSetting(turn, 'ahead', 0, 'ada'))).toMatchObject({ done: false })
  expect(ledger.do((turn) => changeSetting(turn, 'ahead', 3, 'ada'))).toMatchObject({ done: true })
  expect(
    ledger.turn((turn) =>
      enqueueAll(
        turn,
        Array.from({ length: 9 }, () => toRequest()),
      ),
    ).bells,
  ).toHaveLength(3)
})
