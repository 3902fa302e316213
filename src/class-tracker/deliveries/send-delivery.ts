import * as z from 'zod/mini'
import { orWarn } from '../../lib/fallbacks.ts'
import type { Channel, SendOutcome } from '../../notify/channel.ts'
import { channelFor } from '../../notify/channels.ts'
import { accountOf, type PacedAccount } from '../../notify/addresses.ts'
import { refused } from '../../notify/outcome.ts'
import type { AskedTurn } from '../../notify/pacer/pacer.ts'
import {
  type TurnAnswer,
  askTurns,
  awaitTurn,
  type TryLater,
  returnTurn,
  orderPause,
} from '../../notify/pacer/turns.ts'
import { countSegments } from '../../notify/sms/segments.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, type EnqueueOptions, type JobContext, runAgain } from '../../jobs/job.ts'
import type { BatchCall } from '../../jobs/call-batcher.ts'
import { beginTries, claimDeliveries, type ClaimedDelivery, type DeliveryStatus } from './claim-delivery.ts'
import {
  accepted,
  afterFind,
  afterCancellation,
  afterSend,
  failed,
  hasTimeToSend,
  isKeyAlive,
  postponed,
  sendLimit,
  type SendNow,
  startOver,
  type Settlement,
  withinLife,
} from './delivery-rules.ts'
import { readStatus, releaseClaims, releaseUnpushed, type Settled, settleDeliveries } from './settle-delivery.ts'
import { messageOf, sendable, type StoredMessage } from './message.ts'
import { type ContactKind, unsentEnds } from '../../lib/contract.ts'

/** The longest a lookup may take; after this, the provider counts as unreachable. */
const MAX_FIND_MS = 8000
/** How long the pacer is not asked again after it reported that no pace is set, in ms. */
const UNPACED_MS = 1000
/** How long a recorded message waits for its send slot at most, in ms; starting over would cost more. */
const MAX_SLOT_WAIT_MS = 1000
/** How long to wait before an outcome that could not be recorded is recorded again, in ms. */
const RECORD_WAITS_MS = [100, 400]
/** When to check again a delivery that another job settles, in ms. */
const LOOK_AGAIN_MS = 30_000

const Input = z.object({
  delivery_id: z.int(),
  /** The poll that caused it. */
  flow: z.string(),
  account: z.custom<PacedAccount>((account) => typeof account === 'string'),
  /** Segments of the SMS, if already counted. */
  units: z.optional(z.int()),
})
type Input = z.infer<typeof Input>

/**
 * Sends one delivery. The row decides what there is to do, so the job may run twice, late, or never:
 *
 *     queued → sending → sent → delivered (as the provider reports)
 *                 ↓ timeout, 5xx, nonsense, a runner that died
 *            unconfirmed → found: sent · absent: sending again · cannot ask: wait, one repeat, then failed
 *
 * and from anywhere: failed (refused for good), gone (the seat is), expired (too old), canceled (not wanted anymore).
 * The provider may have a message whose row has a `body`, and certainly does not have one without. While it is not
 * final the job comes back when it is next due. Before it reads the database, it asks the provider's pacer, and comes
 * back later if it is not its turn. Its requests to the pacer and the database are combined with those of the other
 * deliveries of its invocation.
 */
export const sendDelivery = defineJob({
  name: 'send-delivery',
  queue: 'alerts',
  input: Input,
  limit: sendLimit,
  async run(context, input) {
    const { env, now, batched } = context
    const askedAt = now()
    const turn = await batched(turns, turnOf(input, true))
    if ('come_back_at' in turn) return runAgain(turn.come_back_at, input, turn.priority)
    const claim = await batched(claimDeliveries, { id: input.delivery_id, now: now() })
    if (claim.kind === 'not_ours') {
      await returnTurn(env.PACER, input.account, ticketOf(input))
      // The delivery is due, but part of a batch request whose own job settles it.
      const isElsewhere = claim.status !== null && claim.status.due_at <= now()
      return answerOf(claim.status, input, isElsewhere ? now() + LOOK_AGAIN_MS : 0)
    }
    const { delivery } = claim
    const account = accountOf(delivery.channel, delivery.address)
    const run: Run = {
      context,
      delivery,
      input: { ...input, account },
      unpaced_at: turn.is_free === true ? askedAt : 0,
      unsent_at: null,
    }
    if (account !== input.account) {
      await returnTurn(env.PACER, input.account, ticketOf(input))
      run.unpaced_at = 0
    }
    const result = await deliver(run).catch(async (error: unknown) => {
      // The next try need not wait for the end of the claim.
      const released = batched(releaseClaims, { delivery, due_at: now(), unsent_at: run.unsent_at })
      await orWarn(released, { event: 'claim_not_released', delivery: delivery.id }, null)
      throw error
    })
    if ('come_back_at' in result) {
      await batched(releaseClaims, { delivery, due_at: now() })
      return runAgain(result.come_back_at, run.input, result.priority)
    }
    if (result.kind === 'lost') return answerOf(await readStatus(env.DB, delivery.id), input, now())
    const settlement = withinLife(result.settlement, delivery.expires_at, now())
    const status = await recordOutcome(context, { delivery, settlement, now: now() })
    if (!result.is_tried) await returnTurn(env.PACER, account, ticketOf(input))
    if (delivery.channel === 'push' && unsentEnds.includes(settlement.state))
      await sendTextsInstead(context, delivery, input.flow)
    if (settlement.error !== null) await context.log(`${settlement.state}: ${settlement.error}`)
    return answerOf(status, input, now())
  },
})

/** Written again if the database fails: a provider that cannot be asked would get the message a second time. */
async function recordOutcome(
  { batched }: JobContext,
  outcome: Settled & { now: number },
): Promise<DeliveryStatus | null> {
  for (const wait of RECORD_WAITS_MS) {
    try {
      return await batched(settleDeliveries, outcome, true)
    } catch (error) {
      console.warn({ event: 'outcome_not_recorded', delivery: outcome.delivery.id, error: String(error) })
      await scheduler.wait(wait)
    }
  }
  return batched(settleDeliveries, outcome, true)
}

/** One run for a claimed delivery. */
interface Run {
  context: JobContext
  delivery: ClaimedDelivery
  input: Input
  /** When the pacer said that no pace is set, in ms; 0 if it did not. */
  unpaced_at: number
  /** When its first try was recorded, in ms, if certainly nothing was sent. */
  unsent_at: number | null
}

/** `lost`: the claim was lost in the meantime. */
type Result = { kind: 'settled'; settlement: Settlement; is_tried: boolean } | { kind: 'lost' } | TryLater

const untried = (settlement: Settlement): Result => ({ kind: 'settled', settlement, is_tried: false })

const turns: BatchCall<AskedTurn, TurnAnswer> = (env, asked) => askTurns(env.PACER, asked)
const askForSlots: BatchCall<AskedTurn, TurnAnswer> = (env, asked) => askTurns(env.PACER, asked, MAX_SLOT_WAIT_MS)

const ticketOf = ({ delivery_id }: Input): string => `delivery:${delivery_id}`

/** @param isPreparing whether the message is yet to be written */
function turnOf(input: Input, isPreparing: boolean): AskedTurn {
  const { account, flow, units = 1 } = input
  return { account, request: { ticket: ticketOf(input), flow, kind: 'alert', units, is_preparing: isPreparing } }
}

/** @param earliest the earliest time of the next check, in ms */
function answerOf(status: DeliveryStatus | null, input: Input, earliest: number): unknown {
  if (status === null) return { state: 'gone' }
  const { state, due_at, last_error } = status
  if (state === 'queued' || state === 'sending' || state === 'unconfirmed') {
    return runAgain(Math.max(due_at, earliest), input)
  }
  return { state, error: last_error }
}

/** New messages go before retries. */
export const NEW_MESSAGE_PRIORITY = 10

interface DeliveryToSend {
  id: number
  poll_id: string
  channel: ContactKind
  address: string
  created_at: number
}

/** SQLite reuses the id of a deleted delivery, and a moved contact need not wait for its former account. */
export const deliveryKey = ({ id, channel, address, created_at }: Omit<DeliveryToSend, 'poll_id'>): string =>
  `delivery:${id}:${accountOf(channel, address)}:${created_at}`

/** The job of one delivery. @param round sets it apart from earlier ones, which may be scheduled for later */
export function deliveryJob(delivery: DeliveryToSend, options: EnqueueOptions, round = '') {
  const { id, poll_id, channel, address } = delivery
  const input: Input = { delivery_id: id, flow: poll_id, account: accountOf(channel, address) }
  return { input, options: { key: `${deliveryKey(delivery)}${round}`, ...options } }
}

/** Texts that waited for this push message are sent now, unless another one can still be seen. */
async function sendTextsInstead(
  { env, now, batched }: JobContext,
  { recipient: { id } }: ClaimedDelivery,
  pollId: string,
): Promise<void> {
  const texts = await batched(releaseUnpushed, { poll_id: pollId, recipient_id: id, now: now() })
  const jobs = texts.map((text) => deliveryJob(text, { priority: NEW_MESSAGE_PRIORITY }))
  await enqueueMany(env, sendDelivery, jobs)
}

async function deliver(run: Run): Promise<Result> {
  const { delivery, context } = run
  const { env, now } = context
  const tools = { fetch, now, mail: env.MAIL, timeoutMs: delivery.timeout_ms }
  const channel = channelFor(delivery.channel, env, tools)
  let message: StoredMessage
  if (delivery.body !== null && delivery.seen_at !== null && delivery.seen_at >= (delivery.first_tried_at ?? 0))
    return untried(accepted(null, delivery.seen_at, delivery.is_repeated))
  if (!delivery.body && delivery.cancellation !== null) {
    // An email that was sent in a batch has no text of its own to look for.
    const copy = delivery.body === null ? null : ({ kind: 'cannot_ask', reason: 'It was sent with others' } as const)
    return untried(afterCancellation(delivery.cancellation, copy, delivery.is_repeated, now()))
  }
  try {
    message = await messageOf(delivery, env)
  } catch (error) {
    return untried(
      failed(`The message could not be composed: ${String(error)}`, delivery.body !== null, delivery.is_repeated),
    )
  }
  const next =
    delivery.body === null
      ? ({ state: 'send', is_repeat: false, was_repeated: delivery.is_repeated, may_have_arrived: false } as const)
      : await context.connected(() => checkEarlierCopy(context, delivery, channel, message))
  if (next === null) return { come_back_at: now() }
  if (next.state !== 'send') return untried(next)
  const units = delivery.channel === 'phone' ? countSegments(message.text).segments : 1
  return (await widenSlot(run, units)) ?? trySending(run, channel, message, next)
}

/** A longer message needs another slot. @returns when to come back for it; null if this run may wait for it */
async function widenSlot(run: Run, units: number): Promise<TryLater | null> {
  if (units === (run.input.units ?? 1) || isUnpaced(run)) return null
  run.input = { ...run.input, units }
  const turn = await run.context.batched(turns, turnOf(run.input, true))
  return 'come_back_at' in turn ? turn : null
}

const isUnpaced = (run: Run): boolean => run.context.now() - run.unpaced_at < UNPACED_MS

/** Waits for the slot and leaves with it. @returns null when it has come, otherwise when to come back */
async function awaitSlot(run: Run): Promise<TryLater | null> {
  if (isUnpaced(run)) return null
  const { now, batched } = run.context
  return awaitTurn(() => batched(askForSlots, turnOf(run.input, false)), now)
}

/** What to do about a copy that the provider may have. */
async function checkEarlierCopy(
  { env, now }: JobContext,
  delivery: ClaimedDelivery,
  channel: Channel,
  message: StoredMessage,
): Promise<Settlement | SendNow> {
  const since = delivery.first_tried_at ?? delivery.tried_at ?? now()
  // An email that was sent in a batch has no key of its own.
  const hasKey = channel.is_resend_safe && delivery.body !== ''
  const isHeld = delivery.held_until > now()
  const isRepeatable = hasKey && !delivery.is_moved && !isHeld
  if (isRepeatable && delivery.cancellation === null && isKeyAlive(since, now())) {
    return { state: 'send', is_repeat: false, was_repeated: delivery.is_repeated, may_have_arrived: true }
  }
  const signal = AbortSignal.timeout(MAX_FIND_MS)
  const found = await channel.find(sendable(delivery, message, since, env), since, signal)
  if (delivery.cancellation !== null)
    return afterCancellation(delivery.cancellation, found, delivery.is_repeated, now())
  const next = afterFind(found, { ...delivery, tried_at: delivery.tried_at ?? since }, now())
  if (next.state !== 'send') return next
  if (delivery.is_moved || ((isHeld || delivery.has_gone) && !next.may_have_arrived)) return startOver(next, now())
  // A copy that may have arrived is repeated with the same text and key, or not at all.
  return isHeld ? postponed(delivery.held_until, delivery.last_error, true) : next
}

/**
 * The message is recorded, batched with others, before it has a connection and its send slot. Nothing runs between the
 * slot and the request: a database write there could delay the request into the next slot.
 */
async function trySending(
  run: Run,
  channel: Channel,
  message: StoredMessage,
  { may_have_arrived, was_repeated, is_repeat }: SendNow,
): Promise<Result> {
  const { delivery } = run
  const { env, now, batched, connected } = run.context
  const at = now()
  run.unsent_at = delivery.body === null ? at : null
  const firstTriedAt = await batched(beginTries, {
    delivery,
    body: JSON.stringify(message),
    is_repeated: was_repeated || is_repeat,
    now: at,
  })
  if (firstTriedAt === null) {
    // The contact may just have been disabled; the next claim will find out.
    await batched(releaseClaims, { delivery, due_at: now() })
    return { kind: 'lost' }
  }
  const sent = await connected(async () => {
    const later = await awaitSlot(run)
    if (later !== null) return later
    if (!hasTimeToSend(delivery, now())) return null
    run.unsent_at = null
    return channel.send(sendable(delivery, message, firstTriedAt, env))
  })
  const { outcome, not_before } = outcomeOf(sent, now())
  const pausedUntil = outcome.pause ? await orderPause(env.PACER, run.input.account, outcome.pause) : null
  const settlement = afterSend(
    outcome,
    {
      id: delivery.id,
      attempts: delivery.attempts + 1,
      may_have_arrived,
      was_repeated,
      is_repeat,
      is_resend_safe: channel.is_resend_safe,
      paused_until: not_before ?? pausedUntil,
    },
    now(),
  )
  return { kind: 'settled', settlement, is_tried: true }
}

/** @param sent null if no connection was free in time, or what came before it took too long */
function outcomeOf(
  sent: SendOutcome | TryLater | null,
  now: number,
): { outcome: SendOutcome; not_before: number | null } {
  if (sent === null) return { outcome: refused('There was not enough time left to send it.'), not_before: now }
  if ('kind' in sent) return { outcome: sent, not_before: null }
  return { outcome: refused('The provider asked for a pause.'), not_before: sent.come_back_at }
}
