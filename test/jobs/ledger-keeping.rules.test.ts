import { expect, test } from 'vitest'
import { actOnMany, changeSettings } from '../../src/jobs/ledger/acts.ts'
import { log } from '../../src/jobs/ledger/claims.ts'
import { readDetail } from '../../src/jobs/ledger/rows.ts'
import { enqueueAll } from '../../src/jobs/ledger/intake.ts'
import { readAudit } from '../../src/jobs/ledger/audit.ts'
import { readSettings, refuseSetting } from '../../src/jobs/ledger/settings.ts'
import { prune } from '../../src/jobs/ledger/prune.ts'
import { day, finish, minute, setTo, TestLedger, toRequest } from './ledger-rules.ts'

test('ended jobs are deleted when they are too old or too many, unfinished ones never', () => {
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

  ledger.do((turn) => setTo(turn, { keep_rows: 1000 }))
  ledger.fill(1000)
  ledger.do((turn) => actOnMany(turn, { act: 'cancel', filter: { registry: 'queued' }, by: null }))
  ledger.fill(10)
  expect(ledger.do(prune)).toBe(11)
  expect(ledger.do((turn) => readDetail(turn, waiting))?.state).toBe('scheduled')
})

test('runs and log lines are deleted with their job, figures and workers by age, the audit after a year', () => {
  const ledger = new TestLedger()
  const rowsOf = (table: string) => ledger.sql.rows(`SELECT * FROM ${table}`).length
  const claimed = ledger.begin()
  ledger.do((turn) => log(turn, claimed.job, 1, 'Asked Queens'))
  ledger.do((turn) => finish(turn, claimed.job, 1, '1'))
  ledger.do((turn) => setTo(turn, { keep_days: 2 }))
  const tables = ['job', 'run', 'line', 'tally', 'worker', 'audit']
  ledger.now += 2 * day
  ledger.do(prune)
  expect(tables.filter((table) => rowsOf(table) === 0)).toEqual([])
  ledger.now += minute
  ledger.do(prune)
  expect(tables.filter((table) => rowsOf(table) > 0)).toEqual(['audit'])
  ledger.now += 364 * day
  ledger.do(prune)
  expect(rowsOf('audit')).toBe(0)
})

test('after the age was lowered, figures of a day are deleted at a time', () => {
  const ledger = new TestLedger()
  const daysLeft = () => {
    const [row] = ledger.sql.rows<{ minutes: number }>('SELECT count(*) AS minutes FROM tally')
    return Math.round(((row?.minutes ?? 0) * minute) / day)
  }
  const last = ledger.now / minute
  ledger.sql.rows(
    `WITH RECURSIVE past (minute) AS (SELECT ? UNION ALL SELECT minute - 1 FROM past LIMIT 14 * 1440)
      INSERT INTO tally SELECT minute, 'started', 0, 1 FROM past`,
    last,
  )
  ledger.do((turn) => setTo(turn, { keep_days: 10 }))
  const left = Array.from({ length: 6 }, () => {
    ledger.do(prune)
    return daysLeft()
  })
  expect(left).toEqual([13, 12, 11, 10, 10, 10])
})

test('everything a tick looks for is found by an index', () => {
  const { sql } = new TestLedger()
  const steps = [
    'DELETE FROM audit WHERE at < 1',
    'DELETE FROM worker WHERE seen_at < 1 AND running = 0',
    'DELETE FROM tally WHERE minute < 1',
    'SELECT seq FROM job WHERE ended_at IS NOT NULL AND ended_at < 1 ORDER BY ended_at LIMIT 1000',
  ]
  const plans = steps.flatMap((step) => sql.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${step}`))
  expect(plans.filter(({ detail }) => !/^SEARCH .* USING/.test(detail))).toEqual([])
})

test('a setting out of its bounds is rejected', () => {
  const ledger = new TestLedger()
  expect(refuseSetting('ahead', 0)).toBe('Prefetch must be a whole number from 1 to 1000.')
  ledger.do((turn) => setTo(turn, { ahead: 3 }))
  ledger.do((turn) => setTo(turn, { ahead: 0 }))
  expect(
    ledger.turn((turn) =>
      enqueueAll(
        turn,
        Array.from({ length: 9 }, () => toRequest()),
      ),
    ).messages,
  ).toHaveLength(3)
})

test('settings are changed together, only those that differ, and only if they are still as they were shown', () => {
  const ledger = new TestLedger()
  const shown = ledger.do(readSettings)
  ledger.do((turn) => changeSettings(turn, { ...shown, keep_days: 90 }, shown, 'bob'))
  expect(ledger.do((turn) => changeSettings(turn, { ...shown, ahead: 5 }, shown, 'ada'))).toMatchObject({
    keep_days: 90,
  })
  expect(ledger.do(readSettings)).toEqual({ ...shown, keep_days: 90 })
  ledger.do((turn) => changeSettings(turn, { ...shown, ahead: 5 }, null, 'ada'))
  expect(ledger.do(readSettings)).toEqual({ ...shown, ahead: 5 })
  expect(ledger.do((turn) => readAudit(turn, null, 10)).map(({ who, detail }) => [who, detail])).toEqual([
    ['ada', 'keep_days = 14'],
    ['ada', 'ahead = 5'],
    ['bob', 'keep_days = 90'],
  ])
})
