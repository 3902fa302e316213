import { createHmac, randomUUID } from 'node:crypto'
import { MAIL_WEBHOOK_SECRET } from '../bindings.ts'
import type { EmailRecord, World } from '../world.ts'

const REPORT_MS = 60
/** Resend waits 5 s (Resend, "Webhooks: retries and replays"). */
const REPEAT_MS = 500
const MAX_REPEATS = 5

/**
 * What happens to an email, by its address: bounced@… does not exist, complained@… reports spam. The others arrive
 * without a report.
 */
const FATES: readonly (readonly [RegExp, string, object])[] = [
  [/^bounced(?:[+-]|@)/, 'email.bounced', { bounce: { type: 'Permanent', message: 'The mailbox does not exist.' } }],
  [/^complained(?:[+-]|@)/, 'email.complained', {}],
]

/** Reports a moment later to the app's webhook, signed as Resend signs; one that is refused is repeated. */
export function reportLater(world: World, { id, to }: EmailRecord): void {
  const effect = FATES.find(([address]) => to.some((one) => address.test(one)))
  if (!effect) return
  const [, type, more] = effect
  const body = JSON.stringify({
    type,
    created_at: new Date(world.now()).toISOString(),
    data: { email_id: id, to, ...more },
  })
  setTimeout(() => void post(`${world.options.appUrl}/notify/email/events`, body, MAX_REPEATS), REPORT_MS).unref()
}

async function post(url: string, body: string, repeats: number): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: signed(body), body }).catch(() => null)
  await response?.arrayBuffer()
  if (response?.ok === false && repeats > 0) setTimeout(() => void post(url, body, repeats - 1), REPEAT_MS).unref()
}

/** The headers of a signed report (Svix, "Verifying webhooks manually"). */
export function signed(body: string, now = Date.now()): Record<string, string> {
  const [id, timestamp] = [`msg_${randomUUID()}`, String(Math.floor(now / 1000))]
  const key = Buffer.from(MAIL_WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': `v1,${signature}`,
  }
}
