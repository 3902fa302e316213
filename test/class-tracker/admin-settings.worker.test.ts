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

test('a text may not wait so long that it could only expire, whichever setting is changed', async () => {
  const desk = await Desk.open()
  const set = async (name: string, value: string) => {
    const { status, text } = await desk.change('settings', name, { value })
    return [status, status === 422 ? text : '']
  }
  expect(await set('alert_expires_minutes', '10')).toEqual([303, ''])
  expect(await set('sms_after_seconds', '301')).toEqual([
    422,
    expect.stringContaining(
      'Messages expire after 10 minutes (alert_expires_minutes), and a text may wait at most half of that: choose 300 seconds or less.',
    ),
  ])
  expect(await set('sms_after_seconds', '300')).toEqual([303, ''])
  expect(await set('alert_expires_minutes', '9')).toEqual([
    422,
    expect.stringContaining(
      'Texts wait 300 seconds for a notification to be seen (sms_after_seconds), and may wait at most half of this time: choose 10 minutes or more.',
    ),
  ])
  expect(await set('sms_after_seconds', '0')).toEqual([303, ''])
  expect(await set('alert_expires_minutes', '1')).toEqual([303, ''])
  await rows('DELETE FROM setting')
})
