import { expect, test } from 'vitest'
import type { EndedAttempt, Ending } from '../../src/jobs/ledger/calls.ts'
import { claimNext } from '../../src/jobs/ledger/claims.ts'
import { readStats } from '../../src/jobs/ledger/counters.ts'
import { endAll } from '../../src/jobs/ledger/endings.ts'
import { second, TestLedger } from './ledger-rules.ts'

const worker = 'one'
const finished = (result: string): Ending => ({ how: 'finished', result })

/** Everything a ledger has stored. */
const contents = ({ sql }: TestLedger) =>
  ['job', 'run', 'worker', 'tally', 'counter'].map((table) =>
    sql
      .rows(`SELECT * FROM ${table}`)
      .map((row) => JSON.stringify(row))
      .toSorted(),
  )

/** Eight jobs of one worker, and their ends in every way, some of them of other attempts. */
function eightRunning(): { ledger: TestLedger; ends: EndedAttempt[] } {
  const ledger = new TestLedger('alerts')
  ledger.fill(8)
  const jobs = ledger.do((turn) => claimNext(turn, worker, 8)).map(({ job }) => job)
  ledger.now += second
  const end = (index: number, ending: Ending, attempt = 1): EndedAttempt => ({
    job: jobs[index] ?? '',
    attempt,
    ending,
  })
  const again: Ending = { how: 'again', at: ledger.now, input: '{"n":2}', priority: 5 }
  const ends = [
    end(0, finished('"first"')),
    end(1, finished(JSON.stringify('x'.repeat(20_000)))),
    end(2, again),
    end(3, finished('null')),
    end(4, finished('"old"'), 7),
    end(5, { how: 'failed', error: 'Broken.', retry_at: null, gives_up: false }),
    end(6, finished('{"n":[1,2.5,"é\\u0000"]}')),
    { job: 'nobody', attempt: 1, ending: finished('1') },
    end(7, finished('"of an older attempt"'), 0),
    end(7, finished('"of this attempt"')),
  ]
  return { ledger, ends }
}

test('attempts that are reported together end as they do one by one, and repeated reports change nothing', () => {
  const [together, single] = [eightRunning(), eightRunning()]
  together.ledger.do((turn) => endAll(turn, together.ends))
  for (const end of single.ends) single.ledger.do((turn) => endAll(turn, [end]))
  const after = contents(single.ledger)
  expect(contents(together.ledger)).toEqual(after)
  expect(together.ledger.do(readStats).counts).toMatchObject({ finished: 5, queued: 1, scheduled: 1, started: 1 })
  together.ledger.do((turn) => endAll(turn, together.ends))
  expect(contents(together.ledger)).toEqual(after)
})

test('jobs that are claimed together are started as they are one by one', () => {
  const [together, single] = [new TestLedger('alerts'), new TestLedger('alerts')]
  for (const ledger of [together, single]) ledger.fill(5)
  const claimed = together.do((turn) => claimNext(turn, worker, 5))
  expect(claimed).toHaveLength(5)
  expect(claimed).toEqual(Array.from({ length: 5 }, () => single.do((turn) => claimNext(turn, worker, 1))).flat())
  expect(contents(together)).toEqual(contents(single))
})
