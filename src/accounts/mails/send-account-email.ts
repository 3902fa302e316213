import { and, asc, eq, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { prepared, names, query, read, readFirst, type RowOf, template, write, parameter } from '../../db/query.ts'
import { mail } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, runAgain, type Schedule } from '../../jobs/job.ts'
import { everyMinutes } from '../../jobs/schedules.ts'
import type { SendOutcome } from '../../notify/channel.ts'
import { channelFor } from '../../notify/channels.ts'
import { askTurn, awaitTurn, orderPause } from '../../notify/pacer/turns.ts'
import { decryptJson } from '../../web/security/encryption.ts'

export const sealPurpose = 'mail'
/** How long a claim lasts: an email whose runner died is tried again afterwards. */
const LEASE_MS = 30_000
/** Waits after the first, second … failed attempt; the last one repeats until the email is too old. */
const waits = [5_000, 30_000, 120_000, 600_000] as const

const Body = z.object({ subject: z.string(), text: z.string(), html: z.string() })

/** An email that has not been sent yet: the condition of the index `mail_unsent`. */
const isUnsent = sql`${mail.state} IN ('queued', 'sending')`

const claimDue = prepared(() =>
  template(
    {
      address: mail.address,
      sealed_body: mail.sealedBody,
      attempts: mail.attempts,
      expires_at: mail.expiresAt,
    },
    (
      columns,
    ) => sql`UPDATE ${mail} SET ${names(mail.state)} = 'sending', ${names(mail.attempts)} = ${mail.attempts} + 1,
        ${names(mail.dueAt)} = ${parameter('until')}
      WHERE ${mail.idempotencyKey} = ${parameter('key')} AND ${isUnsent} AND ${mail.dueAt} <= ${parameter('now')}
      RETURNING ${columns}`,
  ),
)
type Claimed = RowOf<ReturnType<typeof claimDue>>

/**
 * One conditional update claims the row, so that two runners send one email. If an answer does not say whether it was
 * sent, it is sent again with the same idempotency key: a second copy does no harm, but a missing one locks a user out.
 */
export const sendAccountEmail = defineJob({
  name: 'send-account-email',
  queue: 'alerts',
  input: z.object({ key: z.string() }),
  limit: { attempts: 5, run_seconds: 20, retry_seconds: [2, 10, 30] },
  async run({ env, now, log }, input) {
    const request = { ticket: `mail:${input.key}`, flow: 'account', kind: 'account', units: 1 } as const
    const later = await awaitTurn(() => askTurn(env.PACER, 'mail', request), now)
    if (later !== null) return runAgain(later.come_back_at, input, later.priority)
    const at = now()
    const claimed = await readFirst(env.DB, claimDue({ key: input.key, now: at, until: at + LEASE_MS }))
    if (!claimed) return stateOf(env.DB, input)
    const { state, error, due, providerId, isUncounted } = await trySending(env, input.key, claimed, now)
    await write(
      env.DB,
      query
        .update(mail)
        .set({
          state,
          lastError: error,
          dueAt: due,
          providerId,
          attempts: sql`${mail.attempts} - ${Number(isUncounted)}`,
          sentAt: state === 'sent' ? now() : null,
          ...(state !== 'queued' && { sealedBody: null }),
        })
        .where(and(eq(mail.idempotencyKey, input.key), sql`${mail.state} = 'sending'`)),
    )
    if (error !== null) await log(`${state}: ${error}`)
    return state === 'queued' ? runAgain(due, input) : { state, error }
  },
})

/** For an email that must not be sent now: its state, or when to run again. */
async function stateOf(db: D1Database, input: { key: string }): Promise<unknown> {
  const row = await readFirst(
    db,
    query.select({ state: mail.state, due_at: mail.dueAt }).from(mail).where(eq(mail.idempotencyKey, input.key)),
  )
  if (!row) return { state: 'gone' }
  return row.state === 'queued' || row.state === 'sending' ? runAgain(row.due_at, input) : { state: row.state }
}

interface Attempt {
  state: 'sent' | 'queued' | 'failed' | 'expired'
  error: string | null
  due: number
  providerId: string | null
  /** The provider only asked for a pause, which does not count as an attempt. */
  isUncounted: boolean
}

async function trySending(env: Env, key: string, claimed: Claimed, now: () => number): Promise<Attempt> {
  const ended = (state: Attempt['state'], error: string | null): Attempt => ({
    state,
    error,
    due: now(),
    providerId: null,
    isUncounted: false,
  })
  if (claimed.expires_at <= now()) return ended('expired', 'It is too late to send it.')
  const body = claimed.sealed_body === null ? null : await decryptJson(env, sealPurpose, claimed.sealed_body, Body)
  if (body === null) return ended('failed', 'Its text can no longer be read.')
  const channel = channelFor('email', env, { fetch, now, mail: env.MAIL })
  const outcome = await channel.send({
    idempotency_key: key,
    address: claimed.address,
    unsubscribe_url: null,
    status_callback_url: null,
    valid_until: null,
    ...body,
  })
  const pausedUntil = outcome.pause ? await orderPause(env.PACER, 'mail', outcome.pause) : null
  if (outcome.kind === 'accepted') return { ...ended('sent', null), providerId: outcome.provider_id }
  if (outcome.kind === 'refused' && outcome.is_permanent) return ended('failed', outcome.reason)
  const due = Math.min(pausedUntil ?? now() + waitAfter(outcome, claimed.attempts), claimed.expires_at)
  return { ...ended('queued', outcome.reason), due, isUncounted: pausedUntil !== null }
}

function waitAfter(outcome: SendOutcome, attempts: number): number {
  const asked = outcome.kind === 'refused' ? (outcome.retry_after_seconds ?? 0) * 1000 : 0
  return Math.max(asked, waits[Math.min(attempts, waits.length) - 1] ?? 0)
}

const dueMails = prepared(() =>
  query
    .select({ key: mail.idempotencyKey })
    .from(mail)
    .where(sql`${isUnsent} AND ${mail.dueAt} <= ${parameter('minute')}`)
    .orderBy(asc(mail.dueAt))
    .limit(500),
)

/** Every minute: queues emails that were stored but have no job, as storing and queueing are two steps. */
export const scheduleMail: Schedule = {
  name: 'send-account-email',
  every: 'every minute',
  nextAt: everyMinutes(1),
  async plan(env, minute) {
    const waiting = await read(env.DB, dueMails({ minute }))
    if (waiting.length === 0) return
    const requests = waiting.map(({ key }) => ({ input: { key }, options: { key: `mail:${key}` } }))
    await enqueueMany(env, sendAccountEmail, requests)
  },
}
