import { expect, it, vi } from 'vitest'
import { ledgerOf } from '../../src/jobs/ledgers.ts'

it.each([
  ['enam', { locationHint: 'enam' }],
  ['', undefined],
  ['the moon', undefined],
])('a ledger is created where the database is: %j', (DATABASE_LOCATION, options) => {
  const get = vi.fn()
  const LEDGER = { idFromName: (name: string) => name, get }
  ledgerOf({ LEDGER, DATABASE_LOCATION } as unknown as Parameters<typeof ledgerOf>[0], 'polls')
  expect(get).toHaveBeenCalledWith('polls', options)
})
