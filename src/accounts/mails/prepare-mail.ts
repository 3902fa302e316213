import { type SQL, sql } from 'drizzle-orm'
import { into, type Query, statement } from '../../db/query.ts'
import { mail } from '../../db/schema/index.ts'
import { enqueueMany } from '../../jobs/enqueue.ts'
import { orWarn } from '../../lib/fallbacks.ts'
import { DAY_MS } from '../../lib/time.ts'
import { encryptJson } from '../../web/security/encryption.ts'
import { randomToken } from '../../web/security/signing.ts'
import type { SiteContext } from '../../web/site.ts'
import { idUnlessDeleted } from '../find-user.ts'
import type { MailKind } from './mails.ts'
import { sealPurpose, sendAccountEmail } from './send-account-email.ts'
import { type AccountMail, writeMail } from './write-mail.ts'
import { CODE_LIFETIME_MS } from '../code/codes.ts'

/** How long an email may wait for its provider; one with a code waits as long as the code is valid. */
const MAIL_LIFETIME_MS = 2 * DAY_MS

export interface NewMail {
  kind: MailKind
  address: string
  userId: number | null
  mail: AccountMail
}

/** `statement` belongs in the batch of the change that the email is about; {@link queueMails} queues it afterwards. */
export interface WaitingMail {
  statement: Query
  key: string
}

/**
 * The body is encrypted until it is sent. Stores nothing for a user who was deleted in the meantime.
 * @param only a condition that must hold when the batch runs
 */
export async function prepareMail(
  env: Env,
  { kind, address, userId, mail: content }: NewMail,
  now: number,
  only: SQL = sql`true`,
): Promise<WaitingMail> {
  const key = randomToken()
  const body = await encryptJson(env, sealPurpose, writeMail(content))
  const expiresAt = now + (kind === 'sign_in_code' ? CODE_LIFETIME_MS : MAIL_LIFETIME_MS)
  const adding = statement(
    sql`INSERT INTO ${into(
      mail,
      mail.idempotencyKey,
      mail.kind,
      mail.userId,
      mail.address,
      mail.sealedBody,
      mail.createdAt,
      mail.dueAt,
      mail.expiresAt,
    )} SELECT ${key}, ${kind}, ${userId}, ${address}, ${body}, ${now}, ${now}, ${expiresAt}
      WHERE ${only} AND ${userId} IS ${idUnlessDeleted(userId)}`,
  )
  return { statement: adding, key }
}

/** After the response, so that its timing reveals nothing. An email that is lost here is found within a minute. */
export function queueMails(c: SiteContext, mails: readonly WaitingMail[]): void {
  c.executionCtx.waitUntil(enqueueMails(c.env, mails))
}

/** Queues stored emails now; if this fails, the next minute does. Never rejects. */
export async function enqueueMails(env: Env, mails: readonly WaitingMail[]): Promise<void> {
  const requests = mails.map(({ key }) => ({ input: { key }, options: { key: `mail:${key}`, priority: 10 } }))
  await orWarn(enqueueMany(env, sendAccountEmail, requests), { event: 'mail_not_queued' }, null)
}
