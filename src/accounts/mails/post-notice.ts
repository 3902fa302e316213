import { eq } from 'drizzle-orm'
import { query, readFirst, write } from '../../db/query.ts'
import { user } from '../../db/schema/index.ts'
import { placeOf } from '../../web/client-address.ts'
import type { SiteContext } from '../../web/site.ts'
import { noticeMail, type NoticeKind } from './mails.ts'
import { browserName, minuteText, placeText } from './occasion.ts'
import { prepareMail, queueMails } from './post-mail.ts'
import { siteAddress } from './links.ts'

interface Notice {
  kind: NoticeKind
  userId: number
  /** A sentence; '' for none. */
  detail?: string
  /** The primary address when absent. */
  to?: string
}

/** Nothing is sent to an unconfirmed address. */
export async function postNotice(c: SiteContext, { kind, userId, detail, to }: Notice, now: number): Promise<void> {
  const fields = { username: user.username, email: user.email, verifiedAt: user.emailVerifiedAt }
  const owner = await readFirst(c.env.DB, query.select(fields).from(user).where(eq(user.id, userId)))
  if (!owner) return
  const address = to ?? (owner.verifiedAt === null ? null : owner.email)
  if (!address) return
  const resetUrl = siteAddress(c.env, '/accounts/password/reset/')
  const mail = noticeMail(kind, {
    username: owner.username,
    detail: detail ?? '',
    occasion: {
      when: minuteText(now),
      where: placeText(placeOf(c)),
      browser: browserName(c.req.header('user-agent') ?? null),
    },
    resetUrl,
  })
  const waiting = await prepareMail(c.env, { kind, address, userId, mail }, now)
  await write(c.env.DB, waiting.statement)
  queueMails(c, [waiting])
}
