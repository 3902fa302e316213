import { beforeAll, describe, expect, test } from 'vitest'
import { statement, textOf } from '../../src/db/query.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { Desk } from '../worker/admin-desk.ts'
import { makeDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'

/** The tables of the class tracker and its catalog, as declared. */
const tables = [...adminTables.values()].filter(({ area }) => area === 'Class tracker' || area === 'Course catalog')
let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
  await makeDelivery('phone')
})

test('every table of the class tracker and its catalog is listed', () => {
  expect(tables.map(({ name }) => name)).toEqual([
    'recipients',
    'contacts',
    'watches',
    'alerts',
    'deliveries',
    'openings',
    'sources',
    'settings',
    'schools',
    'terms',
    'school-terms',
    'subjects',
    'courses',
    'sections',
  ])
})

test('a message that is not retried has no time for a next try', async () => {
  const { id } = await makeDelivery('email')
  const page = async () => (await desk.see(`deliveries/${id}/`)).text
  expect(await page()).toContain('Next attempt')
  // A failed one has no due time.
  await rows("UPDATE delivery SET state = 'failed', due_at = 0 WHERE id = ?", id)
  expect(await page()).not.toContain('1970')
})

test('the front page counts all tables', async () => {
  const { response, data } = await desk.see('')
  expect(response.status).toBe(200)
  const counted = (data.props as { tables: { name: string; rows: number }[] }).tables
  for (const { name } of tables) expect(counted.find((one) => one.name === name)?.rows, name).toBeGreaterThan(0)
})

describe.each(tables)('$labels', (table) => {
  test('lists, sorts, searches and filters in every declared way', async () => {
    expect((await desk.titles(`${table.name}/`)).length).toBeGreaterThan(0)
    for (const { name, sort } of table.columns) {
      if (sort !== undefined) await desk.titles(`${table.name}/?sort=-${name}`)
    }
    expect(await desk.titles(`${table.name}/?q=nobody-has-this`)).toEqual([])
    for (const filter of table.filters) {
      if (filter.kind === 'choice') {
        for (const { value } of filter.choices) await desk.titles(`${table.name}/?${filter.name}=${value}`)
      } else if (filter.kind === 'moment') {
        await desk.titles(`${table.name}/?${filter.name}_from=2000-01-01&${filter.name}_to=2100-01-01`)
      } else await desk.titles(`${table.name}/?${filter.name}=1`)
    }
  })

  test('shows a row, what a delete would include, its history and the export of the list', async () => {
    const column = table.key
    const from = table.rows ? `(${textOf(statement(table.rows)).text})` : table.table
    const [row] = await rows<{ key: string | number }>(`SELECT ${column} AS key FROM ${from} ORDER BY 1 DESC LIMIT 1`)
    const { response, text } = await desk.see(`${table.name}/${row?.key}/`)
    expect(response.status).toBe(200)
    for (const { heading } of table.panels) expect(text).toContain(heading)
    if (table.mayDelete) expect((await desk.see(`${table.name}/${row?.key}/delete/`)).response.status).toBe(200)
    if (table.mayAdd) expect((await desk.see(`${table.name}/add/`)).response.status).toBe(200)
    expect((await desk.see(`${table.name}/${row?.key}/history/`)).response.status).toBe(200)
    const file = await desk.visitor.get(`/admin/${table.name}/export.csv`)
    expect((await file.text()).split('\r\n').length).toBeGreaterThan(2)
  })

  test('links only to tables and filters that exist', () => {
    const targets = [
      ...table.columns.flatMap(({ link }) => (link ? [link.table] : [])),
      ...table.fields.flatMap((field) => (field.kind === 'reference' ? [field.to] : [])),
      ...table.filters.flatMap((filter) => (filter.kind === 'reference' ? [filter.to] : [])),
    ]
    for (const target of targets) expect(adminTables.get(target), target).toBeDefined()
    for (const { table: other, filter } of table.related) {
      const names = adminTables.get(other)?.filters?.map(({ name }) => name)
      expect(names, other).toContain(filter)
    }
  })
})
