import { describe, expect, test } from 'vitest'
import { alertState } from '../../src/class-tracker/alerts/alert-state.ts'
import { searchWords } from '../../src/db/search-words.ts'
import { typedSearch } from '../../src/lib/text.ts'

describe('alert state', () => {
  const released = { canceled_at: null, release_at: null, poll_id: 'poll' }

  test.each([
    ['no_contact', []],
    ['pending', ['queued']],
    ['pending', ['sending']],
    ['pending', ['unconfirmed', 'failed']],
    ['sent', ['sent']],
    ['sent', ['failed', 'delivered', 'queued']],
    ['failed', ['failed', 'canceled']],
    ['canceled', ['canceled']],
  ] as const)('is %s with deliveries %j', (state, deliveries) => {
    expect(alertState({ ...released, deliveries })).toBe(state)
  })

  test('is held until released, and canceled once no one is waiting', () => {
    expect(alertState({ canceled_at: null, release_at: 5, poll_id: null, deliveries: [] })).toBe('held')
    expect(alertState({ canceled_at: 7, release_at: 5, poll_id: null, deliveries: [] })).toBe('canceled')
    expect(alertState({ canceled_at: 7, release_at: null, poll_id: 'poll', deliveries: ['queued'] })).toBe('canceled')
  })

  test('always shows that a message was sent', () => {
    expect(alertState({ ...released, canceled_at: 7, deliveries: ['sent', 'canceled'] })).toBe('sent')
  })
})

describe('search', () => {
  test('is cut to 100 characters and cleaned', () => {
    expect(typedSearch('  a\u0000\n\tb  ')).toBe('a b')
    expect(Array.from(typedSearch('🎓'.repeat(500)))).toHaveLength(100)
    expect(typedSearch('\ud800x')).toBe('x')
  })

  test('consists of its distinct words, in the spellings that SQLite can compare', () => {
    expect(searchWords('CIS cis Zoë')).toEqual([['cis'], ['zoe']])
    expect(searchWords('Жук')).toEqual([['жук', 'ЖУК', 'Жук']])
    expect(searchWords('')).toEqual([])
  })
})
