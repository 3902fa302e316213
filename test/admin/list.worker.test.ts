import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readIndex } from '../../src/admin/read-index.ts'
import { type Cursor, listAddress, readListQuery } from '../../src/admin/list/list-query.ts'
import { readList } from '../../src/admin/list/read-list.ts'
import { tableOf } from '../../src/admin/table-parts.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

const many = 100_000
const recipients = tableOf(adminTables, 'recipients')
let staff: Visitor

beforeAll(async () => {
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
     INSERT INTO recipient (id, name, description, is_contact_by_phone, created_at)
     SELECT i, 'Person ' || printf('%06d', i * 7919 % ${many}), iif(i % 1000 = 0, 'rare', 'usual'), i % 2, i * 1000 FROM n`,
  )
  await rows("UPDATE recipient SET name = 'Zenobia' WHERE id = 3")
})

const query = (address: string) => readListQuery(recipients, new URLSearchParams(address))
const list = (address: string, size = 50) =>
  readList(env.DB, adminTables, recipients, { query: query(address), timeZone: 'UTC', size })
const keys = async (address: string) => (await list(address)).rows.map(({ key }) => key)

/** Reads the list while counting rows and round trips. */
async function measured(address: string) {
  const seen = { trips: 0, rows: 0 }
  const counted = watchedDatabase({ before: () => void (seen.trips += 1) })
  const batch = counted.batch.bind(counted)
  counted.batch = async <Row>(statements: D1PreparedStatement[]) => {
    const results = await batch<Row>(statements)
    for (const { meta } of results) seen.rows += meta.rows_read
    return results
  }
  const found = await readList(counted, adminTables, recipients, { query: query(address), timeZone: 'UTC' })
  return { ...found, seen }
}

/** Follows the links of a list to its end; returns the keys of every page. */
async function walk(address: string, side: 'after' | 'before', from?: string) {
  const pages: (string | number)[][] = []
  let cursor = from
  for (let page = 0; page < 60; page += 1) {
    const found = await list(cursor === undefined ? address : `${address}&${side}=${cursor}`)
    pages.push(found.rows.map(({ key }) => key))
    const next = side === 'after' ? found.next : found.previous
    if (!next) return pages
    cursor = next.sort === null ? String(next.key) : `${next.key}~${encodeURIComponent(next.sort)}`
  }
  throw new Error('The list has no end.')
}

describe('a list of 100 000 rows', () => {
  test('reads one page, and counts no further than 10 000', async () => {
    const { rows: page, count, seen, next, previous } = await measured('')
    expect(page.map(({ key }) => key)).toEqual(Array.from({ length: 50 }, (_, index) => many - index))
    expect(count).toEqual({ matched: 10_000, isMore: true, scanned: null })
    expect([next?.key, previous]).toEqual([many - 49, null])
    expect(seen.trips).toBe(1)
    expect(seen.rows).toBeLessThan(10_500)
    const { html } = await staff.see('/admin/recipients/')
    expect(html).toContain('>10,000+<')
  })

  test('is sorted by an index in both directions, also on deep pages', async () => {
    const { rows: first, seen } = await measured('sort=name')
    const names = first.map(({ title }) => title)
    expect(names).toEqual(names.toSorted())
    expect(seen.rows).toBeLessThan(10_500)
    const deep = await measured(`sort=-name&after=1~${encodeURIComponent('person 050000')}`)
    expect(deep.rows[0]?.title).toBe('Person 049999')
    expect(deep.seen.rows).toBeLessThan(10_500)
    expect((await keys('sort=-name'))[0]).toBe(3)
    // Keys are given in the order in which rows are added.
    expect((await keys('sort=created_at'))[0]).toBe(1)
    expect((await keys('sort=-created_at'))[0]).toBe(many)
    // Without an index it is not sorted: the order is that of the key.
    expect((await keys('sort=description'))[0]).toBe(many)
  })

  test('a filter without an index reads a limited number of rows and says so', async () => {
    const { rows: page, count, seen } = await measured('is_contact_by_phone=0')
    expect(page).toHaveLength(50)
    expect(page.every(({ key }) => Number(key) % 2 === 0)).toBe(true)
    expect(count).toEqual({ matched: 10_000, isMore: true, scanned: null })
    expect(seen.trips).toBe(1)
    expect(seen.rows).toBeLessThan(60_000)
  })

  test('a search finds text anywhere, continuing page by page until everything was searched', async () => {
    const { rows: page, count, isUnfinished, next, seen } = await measured('q=RARE')
    expect(page.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, index) => many - index * 1000))
    expect(count).toEqual({ matched: 20, isMore: true, scanned: 20_000 })
    expect([isUnfinished, next?.key]).toEqual([true, many - 19_999])
    expect(seen.trips).toBe(1)
    expect(seen.rows).toBeLessThan(110_000)
    const all = await walk('q=rare', 'after')
    expect(all.flat()).toEqual(Array.from({ length: 100 }, (_, index) => many - index * 1000))
    const { html } = await staff.see('/admin/recipients/?q=rare')
    expect(html).toContain('20+ recipients among the first 20,000 searched')
    expect(html).toContain('Keep searching')
  })

  test('a search finds prefixes anywhere at once, and treats a number as a key', async () => {
    expect(await keys('q=zeno')).toEqual([3])
    expect((await keys('q=17'))[0]).toBe(17)
    expect((await list('q=zeno')).isUnfinished).toBe(true)
  })

  test('paging forward and backward shows the same rows', async () => {
    const from = encodeURIComponent('person 099800')
    const there = await walk('sort=name', 'after', `${many}~${from}`)
    const expected = await rows<{ id: number }>(
      "SELECT id FROM recipient WHERE lower(name) > 'person 099800' ORDER BY lower(name), id",
    )
    expect(there.flat()).toEqual(expected.map(({ id }) => id))
    const back = await list('sort=name&before=3~zenobia')
    expect(back.rows.map(({ key }) => key)).toEqual(expected.slice(-51, -1).map(({ id }) => id))
    expect((await walk('', 'before', String(many - 200))).toReversed().flat()).toEqual(
      Array.from({ length: 200 }, (_, index) => many - index),
    )
  })

  test('rows with the same name are ordered by key in both directions', async () => {
    await rows("UPDATE recipient SET name = 'Zz twin' WHERE id IN (11, 12, 13, 14)")
    const there = await list('sort=name&after=12~zz%20twin', 2)
    expect([there.rows.map(({ key }) => key), there.next]).toEqual([[13, 14], null])
    expect((await list('sort=name&before=13~zz%20twin', 2)).rows.map(({ key }) => key)).toEqual([11, 12])
    expect((await list('sort=-name&after=13~zz%20twin', 2)).rows.map(({ key }) => key)).toEqual([12, 11])
  })

  test('a page never exceeds its size, however many rows match the prefix', async () => {
    const first = await list('q=person', 5)
    expect(first.rows.map(({ key }) => key)).toEqual([many, many - 1, many - 2, many - 3, many - 4])
  })

  test('a backward search without matches links forward again', async () => {
    const back = await list(`q=zenobia&before=${many / 2}`)
    expect([back.rows, back.isUnfinished]).toEqual([[], true])
    expect(back.next).toMatchObject({ key: many / 2 })
  })

  test('continuing a search without matches skips no row in either direction', async () => {
    // The last row of the first window and the first of the third.
    const [near, far] = [many - 19_999, many - 40_000]
    await rows(`UPDATE recipient SET description = 'edge' WHERE id IN (${near}, ${far})`)
    const page = async (cursor: Cursor | null) => {
      const address = new URL(
        listAddress(recipients, query('q=edge'), cursor ? { cursor } : {}),
        'https://this.example',
      )
      const found = await list(address.search.slice(1))
      return { ...found, keys: found.rows.map(({ key }) => key) }
    }
    const first = await page(null)
    const second = await page(first.next)
    expect([first.keys, second.keys]).toEqual([[near], []])
    expect((await page(second.previous)).keys).toEqual([near])
    const third = await page(second.next)
    expect(third.keys).toEqual([far])
    const back = await page(third.previous)
    expect([back.keys, back.isUnfinished]).toEqual([[], true])
    expect((await page(back.next)).keys).toEqual([far])
    await rows(`UPDATE recipient SET description = 'usual' WHERE id = ${near}`)
    await rows(`UPDATE recipient SET description = 'rare' WHERE id = ${far}`)
  })

  test('paging works after a row with any name', async () => {
    await rows("UPDATE recipient SET name = 'Zz ~2~ 100% & ü', description = 'odd' WHERE id = 5")
    const odd = query('sort=name&reach=no')
    const cursor = { side: 'after', key: 5, sort: 'zz ~2~ 100% & ü' } as const
    const next = new URL(listAddress(recipients, odd, { cursor }), 'https://this.example')
    expect(readListQuery(recipients, next.searchParams)).toMatchObject({ sort: odd.sort, cursor })
    expect(await keys(next.search.slice(1))).toEqual([])
    await rows("UPDATE recipient SET name = 'Person 039595', description = 'usual' WHERE id = 5")
  })

  test("a day filter uses the reader's time zone", async () => {
    const day = await list('created_at_to=1970-01-01')
    expect(day.rows[0]?.key).toBe(86_399)
    expect(day.count).toEqual({ matched: 86_399 - 80_000, isMore: true, scanned: 20_000 })
    const next = await list('created_at_from=1970-01-02&sort=name')
    expect(next.rows.every(({ key }) => Number(key) >= 86_400)).toBe(true)
    const given = query('created_at_to=1970-01-01')
    const inNewYork = await readList(env.DB, adminTables, recipients, { query: given, timeZone: 'America/New_York' })
    expect(inNewYork.rows[0]?.key).toBe(many)
  })
})

test('an invalid address shows the list', async () => {
  for (const address of [
    '?after=x',
    '?after=1~',
    '?before=%E0%A4%A',
    '?sort=nothing',
    '?reach=%00',
    '?created_at_from=2026-13-45',
    '?q=%25%27%22',
  ]) {
    expect((await staff.get(`/admin/recipients/${address}`)).status, address).toBe(200)
  }
  expect((await staff.get('/admin/nothing/')).status).toBe(404)
})

describe('front page', () => {
  test('shows the last counts in one round trip, and recounts for the next viewer after five minutes', async () => {
    let trips = 0
    const db = watchedDatabase({ before: () => void (trips += 1) })
    const tables = [...adminTables.values()]
    const now = Date.parse('2030-01-01T00:00:00Z')
    const renewals: Promise<unknown>[] = []
    const counted = async (at: number) =>
      (await readIndex(db, tables, at, (work) => renewals.push(work))).counts.get('recipients')
    await rows('DELETE FROM admin_count')
    // Never counted, so this viewer waits for it.
    expect(await counted(now)).toEqual({ rows: many, at: now })
    expect(trips).toBe(2)
    await rows("INSERT INTO recipient (id, name, created_at) VALUES (900000, 'One more', 0)")
    expect(await counted(now + 299_000)).toEqual({ rows: many, at: now })
    expect(renewals).toEqual([])
    expect(trips).toBe(3)
    expect(await counted(now + 301_000)).toEqual({ rows: many, at: now })
    await Promise.all(renewals)
    expect(trips).toBe(5)
    expect(await counted(now + 302_000)).toEqual({ rows: many + 1, at: now + 301_000 })
    expect(trips).toBe(6)
    await rows('DELETE FROM recipient WHERE id = 900000')
    const { html } = await staff.see('/admin/')
    expect(html).toMatch(/Counts updated(?:<!-- -->)? <time/)
  })
})

describe('export', () => {
  afterAll(() => rows('DELETE FROM recipient WHERE id > 900000'))

  test('contains no formulas and is bounded', async () => {
    await rows(
      "INSERT OR REPLACE INTO recipient (id, name, description, created_at) VALUES (900001, '=1+1', 'a \"quoted\", word', 1000), (900002, '  @cmd', '-2', 0)",
    )
    const answer = await staff.get('/admin/recipients/export.csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain('recipients.csv')
    const lines = (await answer.text()).split('\r\n')
    expect(lines[0]).toBe('id,Name,Description,Reached by,Watches,By phone,Added')
    expect(lines[1]).toBe(`900002,'  @cmd,'-2,none,0,1,1970-01-01T00:00:00.000Z`)
    expect(lines[2]).toBe(`900001,'=1+1,"a ""quoted"", word",none,0,1,1970-01-01T00:00:01.000Z`)
    expect(lines).toHaveLength(10_003)
    expect(lines.at(-2)).toContain('The remaining rows were left out')
    const found = await (await staff.get('/admin/recipients/export.csv?q=zenobia')).text()
    // Found at once by its prefix, and again by searching all rows.
    expect(found.split('\r\n').slice(1)).toEqual([expect.stringContaining('3,Zenobia'), ''])
  })
})
