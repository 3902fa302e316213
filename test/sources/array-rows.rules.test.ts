import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArrayRows } from '../../src/sources/array-rows.ts'
import { MalformedJson } from '../../src/sources/json-bytes.ts'

/** Reads `text` in pieces of `size` bytes. */
function read(text: string, size: number): { rows: unknown[]; isReadable: boolean; count: number } {
  const rows: unknown[] = []
  const reader = new ArrayRows((row) => rows.push(row))
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size))
  const count = reader.end()
  return { rows, count, isReadable: reader.isReadable }
}

/** -0 is written as 0. */
const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const sizes = fc.integer({ min: 1, max: 50_000 })

describe('rows of an array that arrives in pieces', () => {
  it('match JSON.parse, whatever their content and however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        sizes,
        fc.constantFrom('', ' ', '\n'),
        (values, size, gap) => {
          const rows = values.map(asWritten)
          const text = `${gap}[${gap}${rows.map((row) => JSON.stringify(row)).join(`${gap},${gap}`)}${gap}]${gap}`
          expect(read(text, size)).toEqual({ rows, count: rows.length, isReadable: true })
        },
      ),
    )
  })

  it('can contain the beginning of another row', () => {
    const row = fc.record({
      id: fc.integer(),
      text: fc.oneof(fc.string(), fc.constantFrom('},{"id":7', '\\', '"', ',{"id":', '[', 'é€😀')),
      inside: fc.array(fc.record({ id: fc.integer(), long: fc.string({ maxLength: 200 }) }), { maxLength: 5 }),
    })
    fc.assert(
      fc.property(fc.array(row, { minLength: 5, maxLength: 200 }), sizes, (values, size) => {
        expect(read(JSON.stringify(values), size).rows).toEqual(values.map(asWritten))
      }),
    )
  })

  it('are complete in a large answer', () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `Row ${id}`, days: ['M', 'W'] }))
    const found = read(JSON.stringify(rows), 65_536)
    expect(found.count).toBe(rows.length)
    expect(found.rows.at(-1)).toEqual(rows.at(-1))
  })

  it.each([
    ['nothing', ''],
    ['an object', '{"a":[1]}'],
    ['a word', 'null'],
    ['a page', '<html></html>'],
    ['an array that does not end', '[1,2'],
    ['an array that ends within a row', '[{"a":1},{"a":2'],
    ['an array that goes on', '[1] [2]'],
    ['an array with a hole', '[1,,2]'],
    ['an array with a hole after rows that begin alike', '[{"id":1},{"id":2}, ,{"id":3}]'],
    ['an array that ends with a comma', '[1,]'],
    ['an array that begins with a comma', '[,1]'],
    ['rows without commas', '[{"a":1} {"a":2}]'],
    ['a word that is none', '[1,maybe]'],
  ])('of %s are none', (_what, text) => {
    for (const size of [1, 3, 100]) expect(() => read(text, size)).toThrow(MalformedJson)
  })

  it('are found after a UTF-8 byte order mark, in any pieces', () => {
    for (const size of [1, 2, 100]) expect(read('\ufeff [1,{"a":"é"}]', size).rows).toEqual([1, { a: 'é' }])
  })

  it('are never megabytes long: a text without an end is dropped', () => {
    const reader = new ArrayRows(() => undefined)
    const piece = new Uint8Array(64 * 1024).fill(0x78)
    reader.take(new TextEncoder().encode('[{"id":1},{"id":2},{"id":"'))
    for (let count = 0; count < 1000; count++) reader.take(piece)
    expect(() => reader.end()).toThrow('A row of the answer is too long.')
  })

  it('with invalid UTF-8 are reported', () => {
    const reader = new ArrayRows(() => undefined)
    reader.take(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]))
    expect([reader.end(), reader.isReadable]).toEqual([1, false])
  })
})
