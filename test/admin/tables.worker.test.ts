import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { filterNames, readListQuery } from '../../src/admin/list/list-query.ts'
import { readList } from '../../src/admin/list/read-list.ts'
import { actPath, listPath, rowPath } from '../../src/admin/table-parts.ts'
import { statement, compiledText } from '../../src/db/query.ts'
import { adminTables } from '../../src/admin/tables.ts'
import type { Filter, Table } from '../../src/admin/table.ts'
import type { AdminKey } from '../../src/web/admin-change.ts'
import { Desk } from '../worker/admin-desk.ts'
import { visit } from '../worker/direct-visit.ts'
import { addPerson, makeSchool } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, stranger, type Visitor } from '../worker/visitor.ts'
import { fillTables } from './fill-tables.ts'

const setting = 'school_timeout_ms'
const known = { 'setting.name': setting, 'setting.value': '9000', 'source.kind': 'banner9' }
let keys: ReadonlyMap<string, AdminKey>
let desk: Desk

beforeAll(async () => {
  const text = (table: string, column: string) => `${table} ${column}`
  keys = await fillTables((sql, ...values) => rows(sql, ...values), { text, known }, Date.now())
  desk = await Desk.open()
})

const tables = [...adminTables.values()]
const named = tables.map((table) => [table.name, table] as const)
const keyOf = ({ table }: Table): AdminKey => {
  const key = keys.get(table)
  if (key === undefined) throw new Error(`Nothing was filled into ${table}.`)
  return key
}

/** The pages of a table, and whether each of them exists. */
function pagesOf(table: Table, key = keyOf(table)): [path: string, isThere: boolean][] {
  const [list, row] = [listPath(table), rowPath(table, key)]
  return [
    [list, true],
    [`${list}export.csv`, true],
    [`${list}add/`, table.mayAdd],
    [row, true],
    [`${row}history/`, true],
    [`${row}delete/`, table.mayDelete],
  ]
}

/** The forms of a table, with the fields that are sent. */
function formsOf(table: Table): [path: string, fields: Record<string, string>][] {
  const key = String(keyOf(table))
  return [
    [rowPath(table, key), { act: 'save' }],
    [`${listPath(table)}add/`, { act: 'save' }],
    ...['delete', ...table.actions.map(({ name }) => name)].map((act): [string, Record<string, string>] => [
      `${listPath(table)}act/`,
      { act, key, confirmed: '1' },
    ]),
  ]
}

describe('access', () => {
  interface Outsider {
    visitor: Visitor
    /** Its answers to each page, and their location. */
    seen: (path: string) => [status: number, location: string | null]
    done: number
  }
  let outsiders: Outsider[]

  beforeAll(async () => {
    const { school_id: school } = await makeSchool()
    const manager = await addPerson({ school, role: 'manager' })
    const missing = { seen: (): [number, null] => [404, null], done: 404 }
    outsiders = [
      {
        visitor: await stranger(),
        seen: (path) => [302, `/accounts/login/?${new URLSearchParams({ next: path })}`],
        done: 302,
      },
      { visitor: await browserOf(await addUser()), ...missing },
      { visitor: await browserOf(manager), ...missing },
    ]
  })

  /** All of them for the first tables, then one after the other: what refuses them is the same for every table. */
  const outsidersOf = (table: Table): Outsider[] => {
    const place = tables.indexOf(table)
    return place < 3 ? outsiders : outsiders.slice(place % 3, (place % 3) + 1)
  }

  test.each(named)('%s: only superusers can see or change anything', async (_, table) => {
    for (const [path, isThere] of pagesOf(table)) {
      for (const { visitor, seen } of outsidersOf(table)) {
        const sent = await visitor.get(path)
        expect([sent.status, sent.headers.get('location')], path).toEqual(seen(path))
      }
      const answer = await desk.visitor.get(path)
      expect(answer.status, path).toBe(isThere ? 200 : 404)
      const text = await answer.text()
      if (path === rowPath(table, keyOf(table)))
        for (const { heading } of table.panels) expect(text, path).toContain(heading)
      if (path.endsWith('export.csv')) expect(text.split('\r\n').length, path).toBeGreaterThan(2)
    }
    const before = await rows(`SELECT * FROM ${table.table}`)
    for (const [path, fields] of formsOf(table)) {
      for (const { visitor, done } of outsidersOf(table))
        expect((await visitor.submit(path, fields)).status, path).toBe(done)
    }
    expect(await rows(`SELECT * FROM ${table.table}`)).toEqual(before)
  })

  test.each(named)('%s: every page of an unknown row is a 404', async (_, table) => {
    for (const key of [987_654_321, 'nothing', '0']) {
      for (const [path] of pagesOf(table, key).slice(3)) {
        expect((await desk.visitor.get(path)).status, path).toBe(404)
      }
    }
  })
})

/** Every way to narrow and to sort a list. */
function addressesOf(table: Table): string[] {
  const words = ['q=e', 'q=1', `q=${encodeURIComponent('%_\'"\\\u0000')}`]
  const sorts = table.columns.flatMap(({ name, sort }) => (sort === undefined ? [] : [`sort=${name}`, `sort=-${name}`]))
  const filters = table.filters.flatMap((filter) => filterNames(filter).flatMap((name) => valuesOf(filter, name)))
  return ['', ...words, ...sorts, ...filters, [...sorts.slice(0, 1), ...filters, 'q=e'].join('&')]
}

function valuesOf(filter: Filter, name: string): string[] {
  if (filter.kind === 'choice') return filter.choices.map(({ value }) => `${name}=${value}`)
  if (filter.kind === 'boolean') return [`${name}=0`, `${name}=1`]
  if (filter.kind === 'reference') return [`${name}=1`, `${name}=e`]
  return [`${name}=2020-01-01`]
}

describe('lists', () => {
  test.each(named)('%s: every search, filter and order works', async (_, table) => {
    const read = (address: string) =>
      readList(env.DB, adminTables, table, {
        query: readListQuery(table, new URLSearchParams(address)),
        timeZone: 'UTC',
      })
    const all = (await read('')).rows.map(({ key }) => key)
    expect(all).toContain(keyOf(table))
    expect((await read('q=nobody-has-this')).rows).toEqual([])
    for (const address of addressesOf(table)) {
      for (const { key } of (await read(address)).rows) expect(all, address).toContain(key)
    }
    for (const one of ['0', '1']) {
      const filters = table.filters.filter(({ kind }) => kind === 'boolean')
      for (const { name } of filters) {
        const found =
          (await read(`${name}=${one}`)).rows.length + (await read(`${name}=${1 - Number(one)}`)).rows.length
        expect(found, name).toBeLessThanOrEqual(all.length)
      }
    }
  })

  test.each(named)('%s: pages cost one round trip after the one of the session', async (_, table) => {
    const headers = { cookie: `session=${desk.visitor.cookies.get('session')}` }
    const trips = async (path: string) => (await visit(path, { headers })).reads.trips
    const session = await trips('/admin/nothing/')
    const narrowed = `${listPath(table)}?${addressesOf(table).at(-1)}`
    for (const path of [narrowed, ...pagesOf(table).flatMap(([one, isThere]) => (isThere ? [one] : []))]) {
      expect((await trips(path)) - session, path).toBeLessThanOrEqual(1)
    }
  })
})

/** A column that the form of the row writes as it is, and that anyone may have changed in the meantime. */
function writtenColumn({ table, fields }: Table): string | undefined {
  const own = (name: string) => `"${table}"."${name}"`
  if (table === 'setting') return 'value'
  if (table === 'referral') return 'max_uses'
  return fields.find(
    ({ kind, name, sql, readOnly }) =>
      compiledText(statement(sql)).text.replaceAll('"', '') === own(name).replaceAll('"', '') &&
      readOnly === undefined &&
      /text|integer|boolean/.test(kind),
  )?.name
}

describe('two people who edit one row', () => {
  const changeable = named.filter(([, { mayChange, mayDelete }]) => mayChange || mayDelete)

  test.each(changeable)('%s: the second person is refused, and nothing they typed is written', async (_, table) => {
    const column = writtenColumn(table)
    if (column === undefined) {
      expect(table.mayChange, 'a form without a field').toBe(false)
      return
    }
    const row = rowPath(table, keyOf(table))
    const removal = { act: 'delete', key: String(keyOf(table)), confirmed: '1' }
    const forms = [
      ...(table.mayChange ? [[row, row, { act: 'save', [column]: '1' }] as const] : []),
      ...(table.mayDelete ? [[`${row}delete/`, actPath(table), removal] as const] : []),
    ]
    for (const [path, target, fields] of forms) {
      const { html } = await desk.visitor.see(path)
      const was = /name="was" value="([^"]+)"/.exec(html)?.[1] ?? ''
      expect(was, path).not.toBe('')
      await rows(
        `UPDATE ${table.table} SET ${column} = iif(typeof(${column}) = 'text', ${column} || '0', 1 - ${column})`,
      )
      const entries = await rows('SELECT id FROM audit')
      const answer = await desk.visitor.submit(target, { was, ...fields })
      expect(answer.status, path).toBe(409)
      expect(await answer.text(), path).toMatch(/Someone else changed this at the same time|This was changed after/)
      expect(await rows('SELECT id FROM audit'), path).toEqual(entries)
    }
  })
})

describe('a delete', () => {
  /** The tables whose rows are deleted together with those of a table. */
  async function goneWith(table: string, seen = new Set<string>()): Promise<Set<string>> {
    const children = await rows<{ name: string }>(
      `SELECT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f
       WHERE m.type = 'table' AND m.name NOT GLOB '_cf_*' AND f."table" = ? AND f.on_delete = 'CASCADE'`,
      table,
    )
    for (const { name } of children) {
      if (seen.has(name)) continue
      seen.add(name)
      await goneWith(name, seen)
    }
    return seen
  }

  const deletable = named.filter(([, { mayDelete }]) => mayDelete)

  test.each(deletable)('%s: says which alerts and watches are deleted with it', async (_, table) => {
    const gone = await goneWith(table.table)
    const path = `${rowPath(table, keyOf(table))}delete/`
    const { html, data } = await desk.visitor.see<{ affected: { label: string; count: number; effect: string }[] }>(
      path,
    )
    const counts = new Map(data.props.affected.map(({ label, count }) => [label, count]))
    if (gone.has('class_alert')) expect(counts.get('alerts'), table.name).toBe(1)
    if (gone.has('watch')) expect(counts.get('watches'), table.name).toBe(1)
    const effects = new Map(data.props.affected.map(({ label, effect }) => [label, effect]))
    if (gone.has('watch')) expect(effects.get('watches'), table.name).toMatch(/^deleted/)
    const deletes = data.props.affected.map(({ effect }) => effect.startsWith('deleted'))
    expect(html.includes('>Also deletes:</h2>')).toBe(deletes.includes(true))
    expect(html.includes('>Also affects:</h2>')).toBe(deletes.includes(false))
  })
})

test('every link leads to an existing table, and every filter in it exists', () => {
  for (const table of tables) {
    const linked = table.columns.flatMap(({ link }) => (link ? [link.table] : []))
    const fields = [...table.fields, ...table.inlines.flatMap((inline) => inline.fields)]
    const references = [...fields, ...table.filters].flatMap((one) => (one.kind === 'reference' ? [one.to] : []))
    for (const name of [...linked, ...references]) expect(adminTables.get(name), table.name).toBeDefined()
    for (const { table: other, filter } of table.related ?? []) {
      const names = (adminTables.get(other)?.filters ?? []).map(({ name }) => name)
      expect(names, `${table.name} → ${other}`).toContain(filter)
    }
  }
})

test('the audit can also be filtered by actions outside the admin', async () => {
  const audit = adminTables.get('audit')
  if (!audit) throw new Error('There is no audit.')
  for (const [act, table] of [
    ['approved', 'invite'],
    ['refreshed', 'section'],
    ['re-queued', 'job'],
    ['paused', 'queue'],
    ['logged out', 'user'],
    ['expired', 'invite'],
    ['unlisted', 'server_report'],
    ['dismissed', 'source_notice'],
    ['renewed the link', 'recipient'],
    ['added a device', 'recipient'],
    ['removed a device', 'recipient'],
    ['stopped all messages', 'recipient'],
    ['asked for messages again', 'recipient'],
  ] as const) {
    await rows(
      "INSERT INTO audit (at, who, act, area, table_name, row_key, title) VALUES (0, 'x', ?, '', ?, '7', 'Seven')",
      act,
      table,
    )
    const query = readListQuery(audit, new URLSearchParams({ act, table_name: table }))
    const list = await readList(env.DB, adminTables, audit, { query, timeZone: 'UTC' })
    expect(
      list.rows.map(({ row }) => [row['c_act'], row['c_table_name']]),
      act,
    ).toEqual([[act, table]])
  }
})
