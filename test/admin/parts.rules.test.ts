import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { csvLine } from '../../src/admin/list/export-list.ts'
import { withArticle } from '../../src/admin/table-parts.ts'
import { parseLocalTime, wallClock } from '../../src/lib/time.ts'

describe('times as people type them', () => {
  test.each([
    ['2026-11-21', 'UTC', '2026-11-21T00:00:00Z'],
    ['2026-07-01T12:00', 'America/New_York', '2026-07-01T16:00:00Z'],
    ['2026-12-01 12:00:30', 'America/New_York', '2026-12-01T17:00:30Z'],
    ['2026-07-01T12:00', 'Pacific/Auckland', '2026-07-01T00:00:00Z'],
    // Clocks went back at 2:00: the hour occurs twice, and the first one is meant.
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    // Clocks went forward at 2:00: the hour does not exist.
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
  ])('%s in %s', (text, zone, expected) => {
    expect(parseLocalTime(text, zone)).toBe(Date.parse(expected))
  })

  test.each(['', 'soon', '2026-02-30', '2026-13-01', '2026-01-01T25:00', '21.11.2026'])('%s is none', (text) => {
    expect(parseLocalTime(text, 'UTC')).toBeNull()
  })

  test('times survive a round trip through their local representation', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), zones, (seconds, zone) => {
        const shown = wallClock(seconds * 1000, zone)
        const back = parseLocalTime(shown, zone)
        expect(back === null ? null : wallClock(back, zone)).toBe(shown)
      }),
    )
  })
})

test('a CSV line parses back to its values, and never contains a formula', () => {
  expect(csvLine(['plain', 12, null, -3])).toBe('plain,12,,-3\r\n')
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', ' edge'])).toBe('"a,b","say ""x""","two\nlines"," edge"\r\n')
  for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '＝1', '\u3000＋1', '－1', '＠x']) {
    expect(csvLine([formula]).replace(/^"/, ''), JSON.stringify(formula)).toMatch(/^'/)
  }
  // Where a semicolon separates cells, quotes after a comma quote nothing.
  expect(csvLine(['a; =1;b'])).toBe("a;' =1;b\r\n")
  expect(csvLine([7, 'x;"=1;y'])).toBe(`7,"x;'""=1;y"\r\n`)
  expect(csvLine([7, 'two\n=1\r\n "+1'])).toBe(`7,"two\n'=1\r\n' ""+1"\r\n`)
})

test('a label gets the article that it is spoken with', () => {
  expect(['Alert', 'Opening', 'User', 'Use', 'Report'].map(withArticle)).toEqual([
    'an alert',
    'an opening',
    'a user',
    'a use',
    'a report',
  ])
})
