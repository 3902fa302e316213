import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { isIn } from '../../db/json-argument.ts'
import { query, read, readFirst, type RowOf } from '../../db/query.ts'
import { settingValue } from '../../db/read-setting.ts'
import { contact, recipient } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { defineJob, RetryAt, runAgain } from '../../jobs/job.ts'
import { reach } from '../../jobs/ledgers.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { DEFAULT_TIMEOUT_MS, type Message } from '../../notify/channel.ts'
import { channelFor } from '../../notify/channels.ts'
import { composeNotice } from '../../notify/compose.ts'
import { accountOf } from '../../notify/addresses.ts'
import { askTurn, awaitTurn, orderPause } from '../../notify/pacer/turns.ts'
import { unsubscribeToken } from '../../notify/unsubscribe-token.ts'
import { takeOrAllow } from '../../web/limits/limits.ts'
import { ownLink } from '../recipients/own-link.ts'
import { deviceToken } from '../recipients/signed-id.ts'
import { Change, noticeOf } from './change-notices.ts'
import { productName } from './claim-delivery.ts'

const device = alias(contact, 'device')

/** The most changes announced: otherwise anyone with a forwarded link could cause endless texts. */
const NOTICE_LIMIT = { limit: 5, window_ms: HOUR_MS }

/** Each has a limit of its own: otherwise someone with a forwarded link could hide them behind harmless changes. */
const gravest: readonly Change[] = ['stopped', 'device_added']

/** The longest a lookup of a notice may take, in ms: the notice itself must still be sent in time. */
const MAX_FIND_MS = 4000

/** The most contacts notified of a change. */
const MAX_CONTACTS = 50

interface ReportedChange {
  change: Change
  /** When it was made, ms since epoch. Only contacts that it opted out itself are notified in spite of that. */
  at: number
  /** The contact whose link or device made the change. */
  exceptId?: number | null
  /** Contacts that the change switched off; they are notified too. */
  switchedOff?: readonly number[] | undefined
}

/**
 * Notifies the recipient's other contacts of a change. A device that subscribes again is not announced. No response
 * waits for this, as it repeats its call to the ledger for 40 s.
 */
export async function reportChange(
  env: Env,
  recipientId: number,
  { change, at, exceptId = null, switchedOff = [] }: ReportedChange,
): Promise<void> {
  const others = await read(
    env.DB,
    query
      .select({ id: contact.id })
      .from(contact)
      .innerJoin(recipient, eq(recipient.id, contact.recipientId))
      .where(
        sql`${contact.recipientId} = ${recipientId} AND (${contact.kind} <> 'phone' OR ${recipient.isContactByPhone}) AND ${contact.id} IS NOT ${exceptId} AND (${contact.isEnabled} OR ${isIn(contact.id, switchedOff)})
          AND ${contact.undeliverableAt} IS NULL AND (${contact.optedOutAt} IS NULL OR ${contact.optedOutAt} >= ${at})
          AND (${change} <> 'device_added' OR EXISTS (
            SELECT 1 FROM ${contact} ${device} WHERE ${device.id} = ${exceptId} AND ${device.createdAt} >= ${at}))`,
      )
      .limit(MAX_CONTACTS),
  )
  if (others.length === 0 || !(await mayNotify(env, recipientId, change))) return
  const notices = others.map(({ id }) => ({
    input: { contact_id: id, change, at },
    options: { key: `notice:${change}:${id}:${at}`, priority: 5 },
  }))
  // The change is made by now, so repeating the request would not notify anyone.
  const queued = reach(env, sendNotice.queue, () => enqueueMany(env, sendNotice, notices))
  await orWarn(queued, { event: 'notices_not_queued', recipient: recipientId }, null)
}

async function mayNotify(env: Env, recipientId: number, change: Change): Promise<boolean> {
  const key = gravest.includes(change) ? `${recipientId}:${change}` : String(recipientId)
  const answer = await takeOrAllow(env, 'notice', key, NOTICE_LIMIT)
  return answer?.allowed !== false
}

const NoticeInput = z.object({
  contact_id: z.int(),
  change: Change,
  at: z.int(),
  /** The attempt that continues after waiting for its turn; any other one follows an attempt that failed. */
  next_attempt: z._default(z.int(), 1),
})
type NoticeInput = z.infer<typeof NoticeInput>

/** Notifies one contact; if the outcome is uncertain, again only where the provider drops repetitions. */
export const sendNotice = defineJob({
  name: 'send-notice',
  queue: 'alerts',
  input: NoticeInput,
  limit: { attempts: 5, run_seconds: 20, retry_seconds: [10, 60, 300] },
  async run({ env, job, now, deadline }, input) {
    const row = await readFirst(env.DB, findContact(input.contact_id))
    // SQLite reuses the id of a deleted contact.
    if (row === null || row.added_at > input.at || (row.opted_out_at ?? 0) > input.at) return { state: 'gone' }
    const request = {
      ticket: `notice:${input.contact_id}:${input.at}`,
      flow: 'notices',
      kind: 'alert',
      units: 1,
    } as const
    const account = accountOf(row.kind, row.address)
    const channel = channelFor(row.kind, env, { fetch, now, mail: env.MAIL })
    const message = await noticeTo(env, row, input)
    const later = await awaitTurn(() => askTurn(env.PACER, account, request), now)
    if (later !== null) return runAgain(later.come_back_at, { ...input, next_attempt: job.attempt + 1 }, later.priority)
    // The earlier attempt may have died after sending it.
    if (job.attempt !== input.next_attempt && !channel.is_resend_safe) {
      const found = await channel.find(message, input.at, AbortSignal.timeout(MAX_FIND_MS))
      if (found.kind === 'found') return { state: 'accepted' }
    }
    // After the deadline another attempt may send it too.
    if (now() + DEFAULT_TIMEOUT_MS > deadline) throw new Error('Too little time was left to send the notice.')
    const outcome = await channel.send(message)
    const pausedUntil = outcome.pause ? await orderPause(env.PACER, account, outcome.pause) : null
    const isOver =
      outcome.kind === 'accepted' || (outcome.kind === 'refused' ? outcome.is_permanent : !channel.is_resend_safe)
    if (isOver) return { state: outcome.kind }
    const why = `The provider did not accept the notice: ${outcome.reason}`
    throw pausedUntil === null ? new Error(why) : new RetryAt(why, pausedUntil)
  },
})

const findContact = (id: number) =>
  query
    .select({
      id: contact.id,
      kind: contact.kind,
      address: contact.address,
      recipient_id: contact.recipientId,
      opted_out_at: contact.optedOutAt,
      added_at: contact.createdAt,
      created_at: recipient.createdAt,
      link_version: recipient.linkVersion,
      is_page_known: sql`${contact.linkVersion} IS ${recipient.linkVersion}`.mapWith(Boolean),
      product_name: settingValue(productName.setting),
    })
    .from(contact)
    .innerJoin(recipient, eq(recipient.id, contact.recipientId))
    .where(eq(contact.id, id))

type NotifiedContact = RowOf<ReturnType<typeof findContact>>

async function noticeTo(env: Env, row: NotifiedContact, { change, at }: NoticeInput): Promise<Message> {
  const { id, kind, address, product_name } = row
  const key = `notice-${change}-${id}-${at}`
  const url = await undoLink(env, row, change)
  return {
    ...composeNotice(noticeOf(product_name ?? productName.initial, kind, change, url), kind),
    idempotency_key: key,
    address,
    unsubscribe_url: null,
    status_callback_url: null,
    valid_until: null,
    ...(kind === 'push' && {
      push: {
        url: url ?? `${env.APP_URL}/s/`,
        about: key,
        is_silent: false,
        delivery: '',
        token: await deviceToken(env, id, address),
      },
    }),
  }
}

/**
 * Where the change can be undone: a stop on the contact's own unsubscribe page, everything else on the recipient's
 * page. That page is private: its link is sent to a mailbox and to devices whose owner already had this link, but not
 * to a channel that others read, nor to a device that was added with a forwarded message. A text has no link.
 */
async function undoLink(env: Env, row: NotifiedContact, change: Change): Promise<string | null> {
  if (row.kind === 'phone') return null
  if (row.kind === 'push') return row.is_page_known ? ownLink(env, { ...row, id: row.recipient_id }) : null
  if (change === 'stopped') return `${env.APP_URL}/notify/unsubscribe/${await unsubscribeToken(row, env.SECRET_KEY)}`
  return row.kind === 'email' ? ownLink(env, { ...row, id: row.recipient_id }) : null
}
