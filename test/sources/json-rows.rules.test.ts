import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedJson } from '../../src/sources/json-bytes.ts'
import { readJsonRows } from '../../src/sources/json-rows.ts'

const encoder = new TextEncoder()

function read(text: string): { rows: unknown[]; envelope: Record<string, unknown>; count: number | null } {
  const rows: unknown[] = []
  const { envelope, count } = readJsonRows(encoder.encode(text), 'data', (row) => rows.push(row))
  return { rows, envelope, count }
}

const jsonObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())

describe('rows cut out of JSON', () => {
  it('match JSON.parse, whatever the values, the spacing and the surroundings', () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ id: fc.nat(), name: fc.string({ unit: 'binary' }) }))),
        jsonObject,
        fc.constantFrom(undefined, 1, '\t'),
        (before, data, after, indent) => {
          const text = JSON.stringify({ ...before, data, ...after }, null, indent)
          const whole: unknown = JSON.parse(text)
          const parsed = read(text)
          const { data: found, ...others } = whole as Record<string, unknown>
          if (!Array.isArray(found)) {
            expect(parsed).toEqual({ rows: [], count: null, envelope: whole })
            return
          }
          expect(parsed.rows).toEqual(found)
          expect(parsed.count).toBe(found.length)
          expect(parsed.envelope).toEqual({ ...others, data: [] })
        },
      ),
    )
  })

  it('are not confused by rows that contain the beginning of a row, in strings or in objects', () => {
    const data = [
      { id: 1, text: ',{"id":2}' },
      { id: 2, inner: [{ id: 3 }, { id: 4 }] },
      { id: 5, text: '\\"},{"id":' },
      { id: 6 },
    ]
    expect(read(JSON.stringify({ data, last: true })).rows).toEqual(data)
  })

  it('end with their own array, whatever other one begins alike', () => {
    const data = [{ id: 1, inner: [{ id: 2 }, { id: 3 }] }, { id: 4 }]
    for (const rows of [data, data.slice(0, 1), []]) {
      const text = JSON.stringify({ other: data, data: rows, another: data })
      expect(read(text)).toEqual({ rows, count: rows.length, envelope: { other: data, data: [], another: data } })
    }
  })

  it('are complete across window boundaries, with characters of every length and values longer than a window', () => {
    const data = Array.from({ length: 400 }, (_, id) => ({
      id,
      text: ['a', 'é', '–', '𝒜'].join('').repeat(id % 97),
      long: id === 200 ? 'é"\\'.repeat(40_000) : '',
    }))
    const image = 'x'.repeat(100_000)
    const text = JSON.stringify({ image, data, after: image })
    expect(read(text)).toEqual({ rows: data, count: 400, envelope: { image, data: [], after: image } })
    expect(read(`\ufeff${text}`).rows).toEqual(data)
  })

  it('are rejected wherever the bytes break off', () => {
    const text = JSON.stringify({
      success: true,
      data: [
        { id: 1, a: 'é"\\{' },
        { id: 2, b: [1, { c: null }] },
      ],
      n: 2,
    })
    const bytes = encoder.encode(text)
    for (let cut = 0; cut < bytes.length; cut++) {
      expect(() => readJsonRows(bytes.subarray(0, cut), 'data', () => undefined), `cut at ${cut}`).toThrow(
        MalformedJson,
      )
    }
  })

  it('are rejected unless there is exactly one object', () => {
    for (const text of [
      '',
      '[]',
      'true',
      '<html>',
      '{"data":[1 2]}',
      '{"data":[{]}]}',
      '{"data":[,]}',
      '{"data":[1,]}',
      '{"data":[{"id":1},{"id":2},,{"id":3}]}',
    ]) {
      expect(() => read(text), text).toThrow(MalformedJson)
    }
    for (const text of ['{"data":[]} x', '{"data":[],"data":[1]}', '{"data" []}', '{"a":1 "data":[]}', "{'data':[]}"]) {
      expect(() => read(text), text).toThrow(MalformedJson)
    }
  })

  it('distinguishes an empty list, something else and nothing', () => {
    expect(read('{"data":[]}').count).toBe(0)
    expect(read('{"data":null}')).toEqual({ rows: [], count: null, envelope: { data: null } })
    expect(read('{}').count).toBeNull()
  })

  it('reports an unreadable character, and continues', () => {
    const bytes = encoder.encode('{"data":[{"name":"Jos_"}]}')
    bytes[bytes.indexOf(0x5f)] = 0xe9
    const rows: unknown[] = []
    expect(readJsonRows(bytes, 'data', (row) => rows.push(row)).isReadable).toBe(false)
    expect(rows).toEqual([{ name: 'Jos\ufffd' }])
  })
})
