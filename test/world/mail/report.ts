import { createHmac, randomUUID } from 'node:crypto'
import { MAIL_WEBHOOK_SECRET } from '../bindings.ts'
import type { EmailRecord, World } from '../world.ts'

const REPORT_MS = 60

/**
 * What happens to a mail, by its address: bounced@… does not exist, complained@… reports spam. The others arrive
 * without a report.
 */
const FATES: readonly (readonly [RegExp, string, object])[] = [
  [/^bounced(?:[+-]|@)/, 'email.bounced', { bounce: { type: 'Permanent', message: 'The mailbox does not exist.' } }],
  [/^complained(?:[+-]|@)/, 'email.complained', {}],
]

/** Reports a moment later to the app's webhook, signed as Resend signs. A report that nobody accepts is lost. */
export function reportLater(world: World, { id, to }: EmailRecord): void {
  const fate = FATES.find(([address]) => to.some((one) => address.test(one)))
  if (!fate) return
  const [, type, more] = fate
  const body = JSON.stringify({
    type,
    created_at: new Date(world.now()).toISOString(),
    data: { email_id: id, to, ...more },
  })
  setTimeout(() => {
    fetch(`${world.options.appUrl}/notify/email/events`, { method: 'POST', headers: signed(body), body }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
  }, REPORT_MS).unref()
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
