import type { SiteContext } from '../../web/site.ts'
import { doerOf } from './doer.ts'
import { noticeMail, type NoticeKind } from './mails.ts'
import { queueMails, writeDown } from './post-mail.ts'
import { siteAddress } from './site-address.ts'

export interface Notice {
  kind: NoticeKind
  userId: number
  /** A sentence; '' for none. */
  detail?: string
  /** The primary address when absent. */
  to?: string
}

/** Tells the owner of an account what was done to it, and from where. Nothing is sent where nobody has confirmed an address. */
export async function postNotice(c: SiteContext, { kind, userId, detail, to }: Notice, now: number): Promise<void> {
  const user = await c.env.DB.prepare(
    'SELECT username, iif(email_verified_at IS NULL, NULL, email) AS email FROM user WHERE id = ?',
  )
    .bind(userId)
    .first<{ username: string; email: string | null }>()
  const address = to ?? user?.email
  if (!user || !address) return
  const resetUrl = siteAddress(c.env, '/accounts/password/reset/')
  const mail = noticeMail(kind, { username: user.username, detail: detail ?? '', doer: doerOf(c, now), resetUrl })
  const waiting = await writeDown(c.env, { kind, address, userId, mail }, now)
  await waiting.statement.run()
  queueMails(c, [waiting])
}
