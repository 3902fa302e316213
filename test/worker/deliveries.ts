import { env } from 'cloudflare:workers'
import { sendDelivery } from '../../src/class-tracker/deliveries/send-delivery.ts'
import { RunAgain } from '../../src/jobs/job.ts'
import { accountOf } from '../../src/notify/addresses.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from './catalog.ts'
import { runContext } from './job-context.ts'
import { forgetPacers } from './pacers.ts'
import { one, rows } from './rows.ts'
import { world } from './world.ts'

/** Deliveries added directly to the database, runs of their job with a separate engine, and the world's outbox. */

export interface DeliveryRow {
  id: number
  recipient_id: number
  contact_id: number | null
  channel: Channel
  address: string
  state: string
  attempts: number
  created_at: number
  due_at: number
  tried_at: number | null
  first_tried_at: number | null
  body: string | null
  accepted_at: number | null
  delivered_at: number | null
  provider_id: string | null
  last_error: string | null
  is_repeated: number
}

export type Channel = 'phone' | 'email' | 'discord' | 'push'

let count = 0

/** A unique address: files of one process share the count, so no test writes a number of this area itself. */
export function addressOf(channel: Channel): string {
  count += 1
  if (channel === 'phone') return `+1646555${String(count).padStart(4, '0')}`
  if (channel === 'email') return `person${count}@example.com`
  return `${env.DISCORD_API_URL}/webhooks/${10n ** 17n + BigInt(count)}/token${count}`
}

export interface MadeDelivery {
  id: number
  address: string
  recipient: number
  section: number
}

async function makeOpenSection(): Promise<number> {
  return makeSection(await makeGroup({ read_at: Date.now() }), '10001', 'open', 3)
}

/** A section that opened, one recipient with these contacts, and a delivery to each. */
export async function makeDeliveries(
  addresses: readonly { kind: Channel; address: string }[],
  openSection?: number,
): Promise<MadeDelivery[]> {
  const section = openSection ?? (await makeOpenSection())
  const recipient = await makeRecipient([...addresses])
  await makeWatch(recipient, section)
  const poll = crypto.randomUUID()
  await addAlert(poll, recipient, section)
  const made = await rows<{ id: number; address: string }>(
    `INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
     SELECT ?, recipient_id, id, kind, address, 'queued', ?, ? FROM contact WHERE recipient_id = ? ORDER BY id
     RETURNING id, address`,
    poll,
    Date.now(),
    Date.now(),
    recipient,
  )
  await env.DB.prepare(
    `INSERT INTO delivery_alert (delivery_id, alert_id)
     SELECT d.id, a.id FROM delivery d JOIN class_alert a ON a.poll_id = d.poll_id WHERE d.poll_id = ?`,
  )
    .bind(poll)
    .run()
  return made.map((delivery) => ({ ...delivery, recipient, section }))
}

export async function makeDelivery(
  channel: Channel,
  address: string = addressOf(channel),
  openSection?: number,
): Promise<MadeDelivery> {
  const [made] = await makeDeliveries([{ kind: channel, address }], openSection)
  if (!made) throw new Error('no delivery was made')
  return made
}

/** Many people waiting for one section. */
export async function makeMany(people: number, channels: readonly Channel[]): Promise<MadeDelivery[]> {
  const section = await makeOpenSection()
  const made: MadeDelivery[] = []
  while (made.length < people) {
    const channel = channels[made.length % channels.length] ?? 'phone'
    made.push(await makeDelivery(channel, addressOf(channel), section))
  }
  return made
}

/** One more alert about a section, released by the poll. */
export async function addAlert(poll: string, recipient: number, section: number, kind = 'opening'): Promise<number> {
  count += 1
  const [opening] = await rows<{ id: number }>(
    'INSERT INTO opening (section_id, version, poll_id, last_closed_at, seen_open_at) VALUES (?, ?, ?, ?, ?) RETURNING id',
    section,
    count,
    poll,
    Date.now() - 1,
    Date.now(),
  )
  const [alert] = await rows<{ id: number }>(
    `INSERT INTO class_alert (opening_id, recipient_id, section_id, kind, created_at, poll_id)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
    opening?.id,
    recipient,
    section,
    kind,
    Date.now(),
    poll,
  )
  return alert?.id ?? 0
}

export function deliveryOf(id: number): Promise<DeliveryRow> {
  return one('SELECT * FROM delivery WHERE id = ?', id)
}

/** The input of a delivery's job. */
export async function inputOf(id: number): Promise<Parameters<typeof sendDelivery.run>[1]> {
  const [row] = await rows<{ poll_id: string; channel: Channel; address: string }>(
    'SELECT poll_id, channel, address FROM delivery WHERE id = ?',
    id,
  )
  if (!row) return { delivery_id: id, flow: 'none', account: 'sms' }
  return { delivery_id: id, flow: row.poll_id, account: accountOf(row.channel, row.address) }
}

/** One run of the job as the engine does it. `db` and `now` replace the database and the clock. */
export async function runDelivery(id: number, { db = env.DB, now = Date.now } = {}): Promise<unknown> {
  const context = runContext({ env: { ...env, DB: db }, now, deadline: Date.now() + 20_000 })
  return sendDelivery.runWithRawInput(context, await inputOf(id))
}

/**
 * Time passes for one delivery until it is due. Times of sending stay, so that the provider can be asked.
 * @returns how much, in ms
 */
export async function comeDue(id: number): Promise<number> {
  const isUnsettled = `id = ?2 AND state IN ('queued', 'sending', 'unconfirmed')`
  const [found] = await env.DB.batch<{ channel: Channel; address: string; ms: number }>(
    [
      `SELECT channel, address, max(0, due_at - ?1) AS ms FROM delivery WHERE ${isUnsettled}`,
      `UPDATE delivery SET tried_at = tried_at - max(0, due_at - ?1), created_at = created_at - max(0, due_at - ?1),
         due_at = due_at - max(0, due_at - ?1) WHERE ${isUnsettled}`,
    ].map((sql) => env.DB.prepare(sql).bind(Date.now(), id)),
  )
  const row = found?.results[0]
  if (!row) return 0
  // No provider's pause is longer.
  await forgetPacers([accountOf(row.channel, row.address)])
  return row.ms
}

/** Runs the job, each time it is due, until it is done. @returns also how long it waited for that, in ms */
export async function runToTheEnd(id: number): Promise<DeliveryRow & { waited: number }> {
  let waited = 0
  for (let runs = 0; runs < 200; runs += 1) {
    waited += await comeDue(id)
    if (!((await runDelivery(id)) instanceof RunAgain)) return { ...(await deliveryOf(id)), waited }
  }
  throw new Error(`delivery ${id} never ends: ${JSON.stringify(await deliveryOf(id))}`)
}

/** The messages that arrived at an address. */
export async function arrivedAt(address: string): Promise<string[]> {
  const { sms, email, discord } = await world.outbox()
  const isWebhook = (url: string) => url.split('/webhooks/')[1]?.startsWith(address.split('/webhooks/')[1] ?? '-')
  return [
    ...sms.filter(({ to }) => to === address).map(({ body }) => body),
    ...email.filter(({ to }) => to === address).map(({ text }) => text),
    ...discord.filter(({ url }) => isWebhook(url)).map(({ body }) => body.content),
  ]
}

/** Providers may take this long from now on, in ms. */
export async function setProviderTimeout(ms: number): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO setting (name, value, changed_at) VALUES ('provider_timeout_ms', ?, 0)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
    .bind(String(ms))
    .run()
}
