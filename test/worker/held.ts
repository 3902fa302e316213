import { env } from 'cloudflare:workers'
import { claimDeliveries } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { sweepAlerts } from '../../src/class-tracker/deliveries/sweep-alerts.ts'
import { makeGroup, makeRecipient, makeSection, makeWatch } from './catalog.ts'
import { runContext, unheard } from './job-context.ts'
import { rows } from './rows.ts'

/** A night of quiet hours, and what it holds. */

export const hour = 3600_000
export const minute = 60_000
export const start = Date.UTC(2026, 8, 1, 3)
/** When the night's quiet hours end. */
export const end = start + 8 * hour
let count = 0
/** The key of a section that no other test has. */
export const freshKey = (): string => `H${(count += 1)}`

/** By default nothing is sent: the consumers have another clock. */
export const sweepAt = (at: number, LEDGER = unheard) =>
  sweepAlerts.runWithRawInput(runContext({ env: { ...env, LEDGER }, now: () => at }), {})

export interface Delivery {
  id: number
  channel: string
  state: string
  due_at: number
  asked_at: number | null
  is_silent: number
}

/** A recipient with a phone and a device. @param chosen their settings, as columns */
export async function scene(chosen: Readonly<Record<string, number | string>>) {
  const group = await makeGroup()
  const section = await makeSection(group, freshKey())
  const recipient = await makeRecipient([
    { kind: 'phone', address: `+1202555${String(7000 + count)}` },
    { kind: 'push', address: `https://web.push.apple.com/${count}#k.s` },
  ])
  await makeWatch(recipient, section)
  for (const [name, value] of Object.entries(chosen))
    await rows(`UPDATE recipient SET ${name} = ? WHERE id = ?`, value, recipient)
  const deliveries = () => rows<Delivery>('SELECT * FROM delivery WHERE recipient_id = ? ORDER BY id', recipient)
  return { group, section, recipient, deliveries }
}

export const night = {
  quiet_from: 22 * 60,
  quiet_until: 7 * 60,
  time_zone: 'America/New_York',
  quiet_starts_at: start - hour,
  quiet_ends_at: start + 8 * hour,
}

export const claimAt = async (id: number | undefined, at: number) => {
  const [claim] = await claimDeliveries(env, [{ id: id ?? 0, now: at }])
  return claim?.kind === 'claimed' ? claim.delivery : null
}
export const states = async (deliveries: () => Promise<Delivery[]>) => (await deliveries()).map(({ state }) => state)
