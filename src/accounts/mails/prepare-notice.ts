import { eq, sql } from 'drizzle-orm'
import { type Query, query, readFirst } from '../../db/query.ts'
import { emailAddress, user } from '../../db/schema/index.ts'
import { placeOf } from '../../web/security/client-address.ts'
import type { SiteContext } from '../../web/site.ts'
import { noticeMail, type NoticeKind } from './mails.ts'
import { browserName, minuteText, placeText } from './request-facts.ts'
import { prepareMail, queueMails } from './prepare-mail.ts'
import { siteAddress } from './links.ts'
import { resetPath } from '../paths.ts'

interface SecurityNotice {
  kind: NoticeKind
  userId: number
  /** A sentence; '' for none. */
  detail?: string
  /** The primary address when absent, or another confirmed one while that is not. */
  to?: string
}

interface PreparedNotice {
  /**
   * For the batch of the change, right after the statement that makes it: stores the email if that changed a row. Empty
   * for users without a confirmed address.
   */
  statements: readonly Query[]
  /** Queues the stored email. */
  send: () => void
}

/** The user's primary address, or another one while that is not confirmed; null without a confirmed one. */
const confirmedAddress = sql<string | null>`coalesce(iif(${user.emailVerifiedAt} IS NULL, NULL, ${user.email}),
  (SELECT ${emailAddress.address} FROM ${emailAddress}
    WHERE ${emailAddress.userId} = ${user.id} AND ${emailAddress.verifiedAt} IS NOT NULL ORDER BY ${emailAddress.id} LIMIT 1))`

/** Prepares an email about a change, so that no change is stored without its notice. */
export async function prepareNotice(
  c: SiteContext,
  { kind, userId, detail, to }: SecurityNotice,
  now: number,
): Promise<PreparedNotice> {
  const fields = { username: user.username, address: confirmedAddress }
  const owner = await readFirst(c.env.DB, query.select(fields).from(user).where(eq(user.id, userId)))
  const address = to ?? owner?.address
  if (owner === null || !address) return { statements: [], send: () => {} }
  const resetUrl = siteAddress(c.env, resetPath)
  const mail = noticeMail(kind, {
    username: owner.username,
    detail: detail ?? '',
    when: minuteText(now),
    where: placeText(placeOf(c)),
    browser: browserName(c.req.header('user-agent') ?? null),
    resetUrl,
  })
  const waiting = await prepareMail(c.env, { kind, address, userId, mail }, now, sql`changes() > 0`)
  return { statements: [waiting.statement], send: () => queueMails(c, [waiting]) }
}
