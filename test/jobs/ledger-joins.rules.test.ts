import { expect, test } from 'vitest'
import { readDetail } from '../../src/jobs/ledger/rows.ts'
import { finish, TestLedger } from './ledger-rules.ts'

test('a job with skip waits behind a job of another kind with the same name', () => {
  const ledger = new TestLedger()
  const name = 'poll-1'
  const look = ledger.begin({ exclusive: { name, when_held: 'wait' } })
  const round = ledger.enqueue({ exclusive: { name, when_held: 'skip' } })
  const stateOf = (job: string) => ledger.do((turn) => readDetail(turn, job))?.state
  expect(stateOf(round.id)).toBe('queued')
  const { messages } = ledger.turn((turn) => finish(turn, look.job, 1, '1'))
  expect(messages).toEqual([{ job: round.id, attempt: 1 }])
  ledger.claim({ job: round.id, attempt: 1 })
  const next = ledger.enqueue({ exclusive: { name, when_held: 'skip' } })
  expect(stateOf(next.id)).toBe('finished')
})
