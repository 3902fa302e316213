import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { recordSmsReports } from '../../src/class-tracker/deliveries/record-sms-report.ts'
import { sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { deliveryOf, inputOf, makeDelivery } from '../worker/deliveries.ts'
import { runContext } from '../worker/job-context.ts'
import { rows } from '../worker/rows.ts'

test('the rows read for an SMS do not grow with the number of waiting people', async () => {
  const figures = []
  for (const people of [300, 1000, 3000]) {
    await rows(
      `INSERT INTO recipient (name, created_at)
       WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT 'Person', 0 FROM n`,
      people,
    )
    await rows(
      `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
       SELECT id, 'email', 'p' || id || '@example.com', 'p' || id || '@example.com', 0 FROM recipient
       WHERE name = 'Person' AND id NOT IN (SELECT recipient_id FROM contact)`,
    )
    const { id } = await makeDelivery('phone')
    const { db, reads } = countedReads()
    await sendDelivery.runWithRawInput(runContext({ env: { ...env, DB: db } }), await inputOf(id))
    const { provider_id, first_tried_at } = await deliveryOf(id)
    const message = { id, first_tried_at: first_tried_at ?? 0 }
    for (const status of ['sent', 'delivered'])
      await recordSmsReports(db, [{ sid: provider_id ?? '', status, error_code: null, message }], Date.now())
    expect(await deliveryOf(id)).toMatchObject({ state: 'delivered' })
    figures.push(reads.rows)
  }
  for (const figure of figures) expect(figure).toBeLessThanOrEqual(60)
  // The first message finds some tables empty; after that, 2,000 more people may not make a message read more. A few
  // rows depend on the second in which it was sent.
  const [, fewer = 0, more = 0] = figures
  expect(more - fewer).toBeLessThanOrEqual(10)
})
