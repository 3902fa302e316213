import { expect, test } from 'vitest'
import { makeDelivery, arrivedAt, runDelivery } from '../worker/deliveries.ts'
import { Desk } from '../worker/admin-desk.ts'
import { rows } from '../worker/rows.ts'

test('the product name must fit into an SMS, and every text begins with it', async () => {
  const desk = await Desk.open()
  for (const value of ['', 'A name of more than twenty-five letters', 'Séats 🎓', 'Seats [beta]'])
    expect((await desk.change('settings', 'product_name', { value })).status, value).toBe(422)
  expect((await desk.change('settings', 'product_name', { value: 'Seats & Co.' })).status).toBe(303)
  expect(await rows("SELECT value FROM setting WHERE name = 'product_name'")).toEqual([{ value: 'Seats & Co.' }])
  const { id, address } = await makeDelivery('phone')
  await runDelivery(id)
  expect((await arrivedAt(address))[0]).toMatch(/^Seats & Co\.: seat open\. /)
  await rows('DELETE FROM setting')
})

test('a number stays within its range', async () => {
  const desk = await Desk.open()
  for (const value of ['-1', '3601', '1.5', 'soon', '1e3']) {
    const { status, text } = await desk.change('settings', 'sms_after_seconds', { value })
    expect([status, text.includes('Choose a value from 0 to 3600 seconds.')], value).toEqual([422, true])
  }
  expect((await desk.change('settings', 'sms_after_seconds', { value: '0' })).status).toBe(303)
  await rows('DELETE FROM setting')
})
