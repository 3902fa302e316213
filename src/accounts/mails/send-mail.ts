import { and, eq, sql } from 'drizzle-orm'
import * as z from 'zod'
import { kept, names, query, readFirst, type RowOf, template, write } from '../../db/query.ts'
import { mail } from '../../db/schema/index.ts'
import { defineJob, runAgain } from '../../jobs/job.ts'
import type { SendOutcome } from '../../notify/channel.ts'
import { channelFor } from '../../notify/channels.ts'
import { awaitTurn, orderPause } from '../../notify/pacer/turns.ts'
import { decrypt } from '../../web/encryption.ts'

export const sealPurpose = 'mail'
/** A claim holds this long; a runner that died gives the mail back. */
const leaseMs = 30_000
/** Waits after the first, second … try that did not go through; the last one repeats until the mail is too old. */
const waits = [5_000, 30_000, 120_000, 600_000] as const

const Body = z.object({ subject: z.string(), text: z.string(), html: z.string() })

/** A mail that is not sent yet. As it stands in the index `mail_unsent`. */
export const isUnsent = sql`${mail.state} IN ('queued', 'sending')`

const claimDue = kept(() =>
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
        ${names(mail.dueAt)} = ${sql.placeholder('until')}
      WHERE ${mail.idempotencyKey} = ${sql.placeholder('key')} AND ${isUnsent} AND ${mail.dueAt} <= ${sql.placeholder('now')}
      RETURNING ${columns}`,
  ),
)
type Claimed = RowOf<ReturnType<typeof claimDue>>

/**
 * Sends one mail about an account, when its turn has come at the provider that alerts go through too. The row decides: it is claimed by one conditional update, so that two runners send one mail.
 * After an answer that leaves it open whether the mail went, it is sent again under the same idempotency key: a second copy does
 * no harm, a missing one locks somebody out.
 */
export const sendMail = defineJob({
  name: 'send-mail',
  queue: 'alerts',
  input: z.object({ key: z.string() }),
  limit: { attempts: 5, run_seconds: 20, retry_seconds: [2, 10, 30] },
  async run({ env, now, log }, input) {
    const request = { ticket: `mail:${input.key}`, flow: 'account', kind: 'account', units: 1 } as const
    const later = await awaitTurn(env.PACER, 'mail', request, now)
    if (later !== null) return runAgain(later.come_back_at, input, later.priority)
    const at = now()
    const claimed = await readFirst(env.DB, claimDue({ key: input.key, now: at, until: at + leaseMs }))
    if (!claimed) return standing(env.DB, input.key, input)
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

/** Of a mail that is not to be sent now: come back when it is, or leave it. */
async function standing(db: D1Database, key: string, input: { key: string }): Promise<unknown> {
  const row = await readFirst(
    db,
    query.select({ state: mail.state, due_at: mail.dueAt }).from(mail).where(eq(mail.idempotencyKey, key)),
  )
  if (!row) return { state: 'gone' }
  return row.state === 'queued' || row.state === 'sending' ? runAgain(row.due_at, input) : { state: row.state }
}

interface Ending {
  state: 'sent' | 'queued' | 'failed' | 'expired'
  error: string | null
  due: number
  providerId: string | null
  /** The provider only asked for a pause. */
  isUncounted: boolean
}

async function trySending(env: Env, key: string, claimed: Claimed, now: () => number): Promise<Ending> {
  const ended = (state: Ending['state'], error: string | null): Ending => ({
    state,
    error,
    due: now(),
    providerId: null,
    isUncounted: false,
  })
  if (claimed.expires_at <= now()) return ended('expired', 'It came too late.')
  const text = claimed.sealed_body === null ? null : await decrypt(env, sealPurpose, claimed.sealed_body)
  if (text === null) return ended('failed', 'Its text cannot be read any more.')
  const body = Body.parse(JSON.parse(text))
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
