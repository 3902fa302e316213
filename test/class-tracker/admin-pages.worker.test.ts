import { beforeAll, expect, test } from 'vitest'
import { adminTables } from '../../src/admin/tables.ts'
import { Desk } from '../worker/admin-desk.ts'
import { makeDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'

/** The tables of the class tracker and its catalog, as declared. */
const tables = [...adminTables.values()].filter(({ area }) => area === 'Class Tracker' || area === 'Course catalog')
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
