import { describe, expect, it } from 'vitest'
import { jsonArguments } from '../../src/db/json-argument.ts'
import { networkOf, widerNetworkOf } from '../../src/web/security/client-address.ts'
import { iso, isoOrNull } from '../../src/lib/time.ts'
import { paginate } from '../../src/web/pagination.ts'
import { positiveInteger } from '../../src/web/parse.ts'
import { prefersJson } from '../../src/web/wants-json.ts'

describe('pages of a list', () => {
  it.each([
    [{ page: 1, size: 20, total: 0 }, [1, 1, 0, 0]],
    [{ page: 1, size: 20, total: 20 }, [1, 1, 0, 0]],
    [{ page: 1, size: 20, total: 21 }, [1, 2, 0, 2]],
    [{ page: 2, size: 20, total: 60 }, [2, 3, 1, 3]],
    [{ page: 99, size: 20, total: 60 }, [3, 3, 2, 0]],
    [{ page: 0, size: 20, total: 60 }, [1, 3, 0, 2]],
  ])('%o', (list, [current, total, previous, next]) => {
    expect(paginate(list)).toEqual({
      current_page: current,
      total_pages: total,
      has_previous: previous !== 0,
      has_next: next !== 0,
      previous_page_number: previous,
      next_page_number: next,
    })
  })
})

describe('numbers from outside', () => {
  it.each([
    '0',
    '-1',
    '1.5',
    '01',
    ' 1',
    '1 ',
    '+1',
    '1e3',
    '0x1',
    '',
    'abc',
    '９',
    '9007199254740993',
    '9'.repeat(30),
    undefined,
  ])('%j is no positive integer', (text) => {
    expect(positiveInteger(text)).toBeNull()
  })
  it('may be as large as a number can be exact', () => {
    expect([positiveInteger('1'), positiveInteger('9007199254740991')]).toEqual([1, Number.MAX_SAFE_INTEGER])
  })
})

describe('what a client prefers', () => {
  it.each([
    ['application/json', true],
    ['application/json, text/plain, */*', true],
    ['text/html;q=0.5, application/json', true],
    ['application/json;q=0.9, text/html;q=0.8', true],
    ['APPLICATION/JSON', true],
    ['application/json; charset=utf-8', true],
    ['', false],
    ['*/*', false],
    ['text/html', false],
    ['text/html,application/json', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['application/json;q=0', false],
    ['application/json;q=0.1, */*', false],
    ['application/json;q=nonsense', false],
    ['application/jsonp', false],
  ])('of "%s" it is JSON: %s', (accept, json) => {
    expect(prefersJson(accept)).toBe(json)
  })
})

describe('the address that limits count', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['', ''],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
    ['::1', '0:0:0:0'],
    ['fe80::', 'fe80:0:0:0'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it.each([
    ['2001:db8:1:2::7', '2001:db8:1'],
    ['2001:db8::7', '2001:db8:0'],
    ['203.0.113.7', null],
    ['::ffff:203.0.113.7', null],
    ['', null],
  ])('the /48 of %s is %s', (address, network) => {
    expect(widerNetworkOf(address)).toBe(network)
  })
})

describe('rows as JSON arguments', () => {
  it('are none for no rows, and one for few', () => {
    expect([jsonArguments([]), jsonArguments([{ a: 1 }, 'ü'])]).toEqual([[], ['[{"a":1},"ü"]']])
  })

  it('keep every row, in order, and every argument under its size in bytes', () => {
    const rows = Array.from({ length: 500 }, (_, number) => ({ number, text: 'ü'.repeat(number % 40) }))
    const parts = jsonArguments(rows, 300)
    expect(parts.flatMap((part) => JSON.parse(part))).toEqual(rows)
    expect(Math.max(...parts.map((part) => new TextEncoder().encode(part).byteLength))).toBeLessThanOrEqual(300)
    expect(parts.length).toBeLessThan(250)
  })

  it("stay under D1's megabyte by default", () => {
    const parts = jsonArguments(Array.from({ length: 30 }, () => 'x'.repeat(100_000)))
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(1_000_000)
  })

  it('reject a row that is too large', () => {
    expect(() => jsonArguments(['x'.repeat(100)], 50)).toThrow('too large')
  })
})

it('writes times as UTC', () => {
  expect([iso(0), isoOrNull(null), isoOrNull(1)]).toEqual([
    '1970-01-01T00:00:00.000Z',
    null,
    '1970-01-01T00:00:00.001Z',
  ])
})
