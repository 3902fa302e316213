import * as z from 'zod/mini'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, type JobContext, runAgain } from '../../jobs/job.ts'
import { bytesOf } from '../../lib/text.ts'
import type { SendOutcome } from '../../notify/channel.ts'
import { mailBatchesFor } from '../../notify/channels.ts'
import { type BatchOutcome, MAX_MAILS, type MailBatches } from '../../notify/email/resend.ts'
import { isProviderFailure, refused } from '../../notify/outcome.ts'
import { askTurn, awaitTurn, type TryLater, returnTurn, orderPause } from '../../notify/pacer/turns.ts'
import type { ClaimedDelivery } from './claim-delivery.ts'
import {
  beginAgain,
  beginBatch,
  claimAgain,
  type ClaimedBatch,
  claimFirstTries,
  leaveBatch,
  settleBatch,
} from './mail-batch.ts'
import {
  afterCancellation,
  afterSend,
  failed,
  hasTimeToSend,
  isKeyAlive,
  postponed,
  REPEAT_AFTER_MS,
  sendLimit,
  type Settlement,
  withinLife,
} from './delivery-rules.ts'
import { deliveryJob, sendDelivery } from './send-delivery.ts'
import type { Settled } from './settle-delivery.ts'
import { messageOf, sendable } from './message.ts'

/** Below what D1 takes as an argument: 2 MB (https://developers.cloudflare.com/d1/platform/limits/). */
const MAX_PAYLOAD = 1_600_000

/** How long composed emails wait for their turn instead of being composed again, in ms. */
const MAX_SLOT_WAIT_MS = 2000

const Input = z.object({
  poll_id: z.string(),
  /** A request that the provider may have accepted, to be repeated; absent: the flow's first tries. */
  batch_key: z.optional(z.string()),
  /** Its ticket in the provider's queue. */
  ticket: z.optional(z.string()),
})
type Input = z.infer<typeof Input>

/**
 * Sends the emails of one flow, as many in a request as the provider allows. The content of a request is recorded
 * before it is made; while its outcome is unknown, its own job repeats the identical request under the same key. A
 * request that was certainly refused is given up, and its messages are then sent individually.
 */
export const sendAlertEmails = defineJob({
  name: 'send-alert-emails',
  queue: 'alerts',
  input: Input,
  limit: sendLimit,
  async run(context, input) {
    const { env, now } = context
    const request = {
      ticket: input.ticket ?? crypto.randomUUID(),
      flow: input.poll_id,
      kind: 'alert',
      units: 1,
    } as const
    const waiting = { ...input, ticket: request.ticket }
    const turn = await askTurn(env.PACER, 'mail', { ...request, is_preparing: true })
    if ('come_back_at' in turn) return runAgain(turn.come_back_at, waiting, turn.priority)
    const key = `mails-${crypto.randomUUID()}`
    const batch =
      input.batch_key === undefined
        ? await claimFirstTries(env.DB, { key, pollId: input.poll_id, most: MAX_MAILS, now: now() })
        : await claimAgain(env.DB, input.batch_key, now())
    const batches = mailBatchesFor(env, { fetch, now, timeoutMs: batch.members[0]?.timeout_ms ?? 1 })
    // The provider may no longer accept batch requests, and a recipient cannot be taken out of one that may have arrived.
    const mustSplit = batches === null || mustNotRepeat(batch, now())
    if (mustSplit || batch.members.length === 0) {
      await returnTurn(env.PACER, 'mail', request.ticket)
      if (mustSplit) await leaveBatch(env.DB, batch)
      await sendAlone(env, input.poll_id, await requeue(env.DB, batch, batch.members, now()))
      return continueBatch(batch, input, now())
    }
    const leave = () => awaitTurn(() => askTurn(env.PACER, 'mail', request, MAX_SLOT_WAIT_MS), now)
    if (batch.storedRequest === null) {
      const sent = await sendFirst(context, batch, batches, input, leave)
      if (!sent.is_tried) await returnTurn(env.PACER, 'mail', request.ticket)
      // Emails that were put back are no longer part of the request.
      const firstTries = { poll_id: input.poll_id, ticket: request.ticket }
      if (sent.later !== null) return runAgain(sent.later.come_back_at, firstTries, sent.later.priority)
      return continueBatch({ ...batch, next_due: Math.min(batch.next_due, sent.next_due) }, input, now())
    }
    const quietUntil = quietUntilOf(batch)
    if (quietUntil > now()) {
      await returnTurn(env.PACER, 'mail', request.ticket)
      await requeue(env.DB, batch, batch.members, quietUntil)
      return runAgain(quietUntil, { poll_id: input.poll_id, batch_key: batch.key })
    }
    const later = await leave()
    if (later !== null) {
      await requeue(env.DB, batch, batch.members, later.come_back_at)
      return runAgain(later.come_back_at, waiting, later.priority)
    }
    const nextDue = await sendAgain(context, batch, batches, input)
    return continueBatch({ ...batch, next_due: Math.min(batch.next_due, nextDue) }, input, now())
  },
})

/** Continues with the flow's other first tries. A request that may have been accepted now has its own job. */
function continueBatch({ members, next_due }: ClaimedBatch, { poll_id }: Input, now: number): unknown {
  return next_due === Infinity ? { mails: members.length } : runAgain(Math.max(now, next_due), { poll_id })
}

interface FirstTry {
  /** When emails that were put back for another first try are due, in ms; Infinity if there are none. */
  next_due: number
  /** When to come back, if the turn is not soon. */
  later: TryLater | null
  /** Whether the turn was used or given up. */
  is_tried: boolean
}

/** Composed and recorded before its turn (`leave`), because requests must be spaced out. */
async function sendFirst(
  context: JobContext,
  batch: ClaimedBatch,
  batches: MailBatches,
  { poll_id }: Input,
  leave: () => Promise<TryLater | null>,
): Promise<FirstTry> {
  const { env, now } = context
  const at = now()
  const { members, payload, others } = await compose(batch, batches, env, at)
  if (others.length > 0) await settleBatch(env.DB, batch, others, at)
  await sendAlone(env, poll_id, others.filter(isElsewhere))
  const left = firstTriesAmong(others)
  if (members.length === 0) return { next_due: left, later: null, is_tried: false }
  const ids = members.map(({ id }) => id)
  if (!(await beginBatch(env.DB, batch, { poll_id, members, payload }, now()))) {
    // A recipient has opted out since the claim, or a section has opened again: all are claimed again.
    await requeue(env.DB, batch, members, at)
    return { next_due: at, later: null, is_tried: false }
  }
  const later = await leave()
  const outcome =
    later !== null
      ? refused('The provider asked for a pause')
      : hasTime(batch, now())
        ? await batches.send(payload, batch.key)
        : refused('There was not enough time left to send it')
  const written = { ...batch, members, storedRequest: { payload, ids, hasCanceled: false } }
  const nextDue = await settle(context, written, outcome, poll_id, false, later?.come_back_at)
  return { next_due: Math.min(left, nextDue), later, is_tried: true }
}

/**
 * Whether a request that the provider failed to handle would reach someone who must not get it: a person who has opted
 * out, whose watch ended or whose address was corrected, or, some time after the first try, one whose seat is gone. Each
 * email is then settled by itself. Quiet hours that began since are no such reason. A request whose answer was lost is
 * repeated all the same: if it was accepted, that sends nothing, and any other way would send the others a second email.
 */
function mustNotRepeat({ members, storedRequest }: ClaimedBatch, now: number): boolean {
  if (!members.every(({ last_error: error }) => isProviderFailure(error ?? ''))) return false
  if (storedRequest === null || members.every(({ cancellation }) => cancellation !== null)) return false
  const isUnwanted = ({ cancellation, is_moved, first_tried_at }: ClaimedDelivery): boolean =>
    is_moved ||
    (cancellation !== null && (cancellation.state === 'canceled' || now - (first_tried_at ?? now) > REPEAT_AFTER_MS))
  return storedRequest.hasCanceled || members.some(isUnwanted)
}

/** Until when everyone who is to get the request again wants quiet, in ms; 0 if one of them does not, or nobody is left. */
function quietUntilOf({ members }: ClaimedBatch): number {
  const wanted = members.filter(({ cancellation }) => cancellation === null)
  return wanted.length === 0 ? 0 : Math.min(...wanted.map(({ held_until }) => held_until))
}

async function sendAgain(
  context: JobContext,
  batch: ClaimedBatch,
  batches: MailBatches,
  { poll_id }: Input,
): Promise<number> {
  const { env, now } = context
  const since = Math.min(...batch.members.map(({ first_tried_at }) => first_tried_at ?? now()))
  const isWanted = batch.members.some(({ cancellation }) => cancellation === null)
  if (batch.storedRequest === null || !isWanted || !isKeyAlive(since, now())) {
    const settled = batch.members.map((member) => ({ delivery: member, settlement: givenUp(member, now()) }))
    await settleBatch(env.DB, batch, settled, now())
    return Infinity
  }
  if (!(await beginAgain(env.DB, batch, now())) || !hasTime(batch, now())) return Infinity
  const outcome = await batches.send(batch.storedRequest.payload, batch.key)
  return settle(context, batch, outcome, poll_id, true)
}

const hasTime = ({ members }: ClaimedBatch, now: number): boolean =>
  members.every((member) => hasTimeToSend(member, now))

function givenUp(member: ClaimedDelivery, now: number): Settlement {
  const cannotAsk = { kind: 'cannot_ask', reason: 'The provider no longer keeps the key' } as const
  if (member.cancellation === null) return failed(member.last_error ?? cannotAsk.reason, true, false)
  return afterCancellation(member.cancellation, cannotAsk, false, now)
}

/** A request with its recipients in order; `others`: already settled, or left for the next request. */
interface Composed {
  payload: string
  members: ClaimedDelivery[]
  others: Settled[]
}

/** Writes the emails of a request, no more than one may hold. */
async function compose(batch: ClaimedBatch, batches: MailBatches, env: Env, now: number): Promise<Composed> {
  const members: ClaimedDelivery[] = []
  const messages: ReturnType<typeof sendable>[] = []
  const others: Settled[] = []
  let size = 0
  for (const member of batch.members) {
    const { cancellation } = member
    if (cancellation !== null) {
      others.push({ delivery: member, settlement: afterCancellation(cancellation, null, false, now) })
      continue
    }
    if (member.channel !== 'email') {
      others.push(untouched(member, now))
      continue
    }
    try {
      const message = sendable(member, await messageOf(member, env), now, env)
      const problem = batches.problem(message)
      if (problem !== null) others.push({ delivery: member, settlement: failed(problem.reason, false, false) })
      else if ((size += bytesOf(batches.payload([message])).length) > MAX_PAYLOAD) others.push(untouched(member, now))
      else {
        members.push(member)
        messages.push(message)
      }
    } catch (error) {
      others.push({
        delivery: member,
        settlement: failed(`The message could not be composed: ${String(error)}`, false, false),
      })
    }
  }
  return { payload: batches.payload(messages), members, others }
}

/** Leaves members of the request as they were, due at `dueAt` (ms). */
async function requeue(
  db: D1Database,
  batch: ClaimedBatch,
  members: readonly ClaimedDelivery[],
  dueAt: number,
): Promise<Settled[]> {
  const settled = members.map((member) => untouched(member, dueAt))
  await settleBatch(db, batch, settled, dueAt)
  return settled
}

function untouched(member: ClaimedDelivery, dueAt: number): Settled {
  return { delivery: member, settlement: postponed(dueAt, member.last_error, member.body !== null) }
}

/** @returns when emails that were put back for another first try are due, in ms; Infinity if there are none */
async function settle(
  { env, now, log }: JobContext,
  batch: ClaimedBatch,
  outcome: BatchOutcome,
  pollId: string,
  mayHaveArrived: boolean,
  notBefore: number | null = null,
): Promise<number> {
  const pause = outcome.kind === 'each' ? undefined : outcome.pause
  const pausedUntil = pause ? await orderPause(env.PACER, 'mail', pause) : notBefore
  const at = now()
  const places = new Map(batch.storedRequest?.ids.map((id, place) => [id, place]))
  const settled = batch.members.map((member): Settled => {
    const own = outcome.kind === 'each' ? outcome.outcomes[places.get(member.id) ?? -1] : outcome
    const settlement = own ? after(member, own) : failed('Resend did not report on this email', true, false)
    // A request whose answer was lost once stays one that may have been accepted.
    const wasLost =
      mayHaveArrived && !isProviderFailure(member.last_error ?? '') && isProviderFailure(settlement.error ?? '')
    const error = wasLost ? member.last_error : settlement.error
    return { delivery: member, settlement: withinLife({ ...settlement, error }, member.expires_at, at) }
  })
  function after(member: ClaimedDelivery, own: SendOutcome): Settlement {
    const sent = {
      // All get the same time, so that they are claimed together again.
      id: batch.members[0]?.id ?? 0,
      attempts: member.attempts + 1,
      may_have_arrived: mayHaveArrived,
      was_repeated: false,
      is_repeat: false,
      is_resend_safe: true,
      paused_until: pausedUntil,
    }
    const settlement = afterSend(own, sent, at)
    // Something in the request was refused, perhaps not this email, which may be accepted on its own.
    const isRefusedForAll = outcome.kind === 'refused' && outcome.is_permanent && !mayHaveArrived
    return isRefusedForAll ? { ...settlement, state: 'queued', due_at: at, may_have_arrived: false } : settlement
  }
  await settleBatch(env.DB, batch, settled, at)
  if (outcome.kind !== 'each') await log(`${settled.length} emails: ${outcome.reason}`)
  const unconfirmed = settled.filter(({ settlement }) => settlement.state === 'unconfirmed')
  if (unconfirmed.length > 0) await askAgain(env, batch, pollId, unconfirmed)
  await sendAlone(
    env,
    pollId,
    settled.filter(({ settlement }) => settlement.state === 'queued' && !settlement.is_uncounted),
  )
  return firstTriesAmong(settled.filter(({ settlement }) => settlement.is_uncounted))
}

/** The contact is no longer an email address. */
const isElsewhere = ({ delivery }: Settled): boolean => delivery.channel !== 'email'

/** When the first of the emails that wait for another first try is due, in ms. */
function firstTriesAmong(settled: readonly Settled[]): number {
  const queued = settled.filter((one) => one.settlement.state === 'queued' && !isElsewhere(one))
  return Math.min(...queued.map(({ settlement }) => settlement.due_at))
}

/** The whole request is due once the last unconfirmed email in it is. */
async function askAgain(
  env: Env,
  { key }: ClaimedBatch,
  pollId: string,
  unconfirmed: readonly Settled[],
): Promise<void> {
  const at = Math.max(...unconfirmed.map(({ settlement }) => settlement.due_at))
  const input = { poll_id: pollId, batch_key: key }
  await enqueueMany(env, sendAlertEmails, [{ input, options: { key: `mail-batch:${key}:${at}`, at } }])
}

async function sendAlone(env: Env, pollId: string, settled: readonly Settled[]): Promise<void> {
  const jobs = settled.map(({ delivery, settlement }) =>
    deliveryJob({ ...delivery, poll_id: pollId }, { at: settlement.due_at }),
  )
  await enqueueMany(env, sendDelivery, jobs)
}
