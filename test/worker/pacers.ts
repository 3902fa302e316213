import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { PacedAccount } from '../../src/notify/addresses.ts'
import { pacerNameOf } from '../../src/notify/pacer/turns.ts'

export const pacerOf = (account: PacedAccount) => env.PACER.get(env.PACER.idFromName(pacerNameOf(account)))

/** Resets accounts: no one waits, no pause is remembered, and their settings are read again. */
export async function forgetPacers(accounts: readonly PacedAccount[] = ['sms', 'mail', 'discord']): Promise<void> {
  for (const account of accounts) {
    const pacer = pacerOf(account)
    await runInDurableObject(pacer, (_, state) => state.storage.deleteAll())
    // Another run may have done it at the same time.
    await evictDurableObject(pacer).catch(() => undefined)
  }
}

/** Sets the pace of a kind of account, units a second; 0 for none. */
export async function setPace(setting: string, unitsPerSecond: number): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO setting (name, value, changed_at) VALUES (?, ?, 0)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
    .bind(setting, String(unitsPerSecond))
    .run()
}

/** Removes the pace of SMS, email and webhooks, for tests of anything else. Pauses still count. */
export async function sendUnpaced(): Promise<void> {
  for (const setting of ['sms_segments_per_second', 'mail_requests_per_second', 'discord_requests_per_second'])
    await setPace(setting, 0)
  await forgetPacers()
}
