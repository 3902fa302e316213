import * as z from 'zod'
import type { Channel } from '../../notify/channel.ts'
import { channelFor } from '../../notify/channels.ts'
import { defineJob, type JobContext, runAgain } from '../../jobs/job.ts'
import { claimDelivery, type ClaimedDelivery, type Standing } from './claim-delivery.ts'
import { afterFind, afterRefusal, afterSend, failed, isKeyAlive, type SendNow, type Settlement } from './next-step.ts'
import { beginTry, readStanding, settleDelivery } from './settle-delivery.ts'
import { messageOf, sendable, type StoredMessage } from './stored-message.ts'

/** A look-up may take this long of a run; what it does not find by then could not be asked. */
const longestFindMs = 8000

/**
 * Sends one delivery. The row decides what there is to do, so the job may run twice, late, or never:
 *
 *     queued → sending → sent → delivered (by the provider's report)
 *                 ↓ time-out, 5xx, nonsense, a runner that died
 *            unconfirmed → found: sent · absent: sending again · cannot ask: wait, one repeat, then failed
 *
 * and from anywhere: failed (refused for good, or five tries), canceled (not wanted any more). A row with a `body` may be
 * with the provider; one without certainly is not. While it is not final the job comes back when it is next due.
 */
export const sendDelivery = defineJob({
  name: 'send-delivery',
  queue: 'alerts',
  input: z.object({ delivery_id: z.number().int() }),
  limit: { attempts: 5, run_seconds: 20, retry_seconds: [2, 10, 30] },
  async run(context, input) {
    const { env, now } = context
    const claim = await claimDelivery(env.DB, input.delivery_id, now())
    if (claim.kind === 'not_ours') return answerOf(claim.standing, input)
    const settlement = await deliver(context, claim.delivery)
    if (settlement === null) return answerOf(await readStanding(env.DB, input.delivery_id), input)
    const standing = await settleDelivery(env.DB, claim.delivery, settlement, now())
    if (settlement.error !== null) await context.log(`${settlement.state}: ${settlement.error}`)
    return answerOf(standing, input)
  },
})

function answerOf(standing: Standing | null, input: { delivery_id: number }): unknown {
  if (standing === null) return { state: 'gone' }
  const { state, due_at, last_error } = standing
  if (state === 'queued' || state === 'sending' || state === 'unconfirmed') return runAgain(due_at, input)
  return { state, error: last_error }
}

/** One run over a claimed delivery; null when the claim was lost on the way. */
async function deliver(context: JobContext, delivery: ClaimedDelivery): Promise<Settlement | null> {
  const { env, now } = context
  const tools = { fetch, now, mail: env.MAIL, timeoutMs: delivery.timeout_ms }
  const channel = channelFor(delivery.channel, env, tools)
  let message: StoredMessage
  if (delivery.body === null && delivery.refusal !== null) return afterRefusal(delivery.refusal, null, false, now())
  try {
    message = await messageOf(delivery, env)
  } catch (error) {
    return failed(`The message could not be written: ${String(error)}`, delivery.body !== null, delivery.is_repeated)
  }
  const next = await settleDoubt(context, delivery, channel, message)
  return next.state === 'send' ? trySending(context, delivery, channel, message, next) : next
}

/** What to do about a copy that may be with the provider; without one, just send. */
async function settleDoubt(
  { env, now }: JobContext,
  delivery: ClaimedDelivery,
  channel: Channel,
  message: StoredMessage,
): Promise<Settlement | SendNow> {
  if (delivery.body === null) return { state: 'send', is_repeat: false, was_repeated: false, was_in_doubt: false }
  const since = delivery.first_tried_at ?? delivery.tried_at ?? now()
  if (channel.is_resend_safe && delivery.refusal === null && isKeyAlive(since, now())) {
    return { state: 'send', is_repeat: false, was_repeated: delivery.is_repeated, was_in_doubt: true }
  }
  const signal = AbortSignal.timeout(longestFindMs)
  const found = await channel.find(sendable(delivery, message, since, env), since, { signal })
  if (delivery.refusal !== null) return afterRefusal(delivery.refusal, found, delivery.is_repeated, now())
  return afterFind(found, { ...delivery, tried_at: delivery.tried_at ?? since }, now())
}

async function trySending(
  { env, now }: JobContext,
  delivery: ClaimedDelivery,
  channel: Channel,
  message: StoredMessage,
  { was_in_doubt, was_repeated, is_repeat }: SendNow,
): Promise<Settlement | null> {
  const firstTriedAt = await beginTry(env.DB, delivery, JSON.stringify(message), was_repeated || is_repeat, now())
  if (firstTriedAt === null) return null
  const outcome = await channel.send(sendable(delivery, message, firstTriedAt, env))
  const { is_resend_safe } = channel
  const attempts = delivery.attempts + 1
  return afterSend(outcome, { attempts, was_in_doubt, was_repeated, is_repeat, is_resend_safe }, now())
}
