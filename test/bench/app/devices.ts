import { makeDevice } from '../../world/push/device.ts'
import type { BenchApp } from './start-app.ts'

/**
 * Gives people who wait by phone a device too, as a poll would find them: a notification each, and their text waits for
 * it.
 * @param isWithout the people, by position, who only have their phone
 * @param smsAfterMs how long a text waits
 */
export async function addDevices(
  { db, world: { url, world } }: BenchApp,
  poll: string,
  isWithout: (place: number) => boolean,
  smsAfterMs: number,
): Promise<void> {
  const { results } = await db
    .prepare('SELECT recipient_id FROM delivery WHERE poll_id = ? ORDER BY id')
    .bind(poll)
    .all<{ recipient_id: number }>()
  const list = JSON.stringify(
    results.flatMap(({ recipient_id }, place) => {
      if (isWithout(place)) return []
      const device = makeDevice({ name: 'Phone', applicationKey: null, isPhone: true })
      world.devices.push(device)
      const endpoint = `${url}/push/send/${device.id}`
      return [[recipient_id, `${endpoint}#${device.p256dh}.${device.auth}`, endpoint]]
    }),
  )
  const now = Date.now()
  const ofList = 'SELECT value ->> 0 FROM json_each(?)'
  await db.batch([
    db
      .prepare(
        `INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
         SELECT value ->> 0, 'push', value ->> 1, value ->> 2, 0 FROM json_each(?)`,
      )
      .bind(list),
    db
      .prepare(
        `UPDATE delivery SET state = 'waiting', due_at = ? WHERE poll_id = ? AND channel = 'phone' AND recipient_id IN (${ofList})`,
      )
      .bind(now + smsAfterMs, poll, list),
    db
      .prepare(
        `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
         SELECT ?1, recipient_id, id, kind, address, 'queued', ?2, ?2 FROM contact
         WHERE kind = 'push' AND recipient_id IN (SELECT value ->> 0 FROM json_each(?3))`,
      )
      .bind(poll, now, list),
    db
      .prepare(
        `INSERT INTO delivery_alert (delivery_id, alert_id)
         SELECT d.id, a.id FROM delivery d JOIN class_alert a ON a.recipient_id = d.recipient_id AND a.poll_id = d.poll_id
         WHERE d.poll_id = ? AND d.channel = 'push'`,
      )
      .bind(poll),
  ])
}
