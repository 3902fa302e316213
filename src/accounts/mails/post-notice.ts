import { eq } from 'drizzle-orm'
import { query, readFirst, write } from '../../db/query.ts'
import { user } from '../../db/schema/index.ts'
import { placeOf } from '../../web/client-address.ts'
import type { SiteContext } from '../../web/site.ts'
import { browserName, countryName } from './browser-name.ts'
import { noticeMail, type NoticeKind, type Occasion } from './mails.ts'
import { queueMails, prepareMail } from './post-mail.ts'
import { siteAddress } from './site-address.ts'

interface Notice {
  kind: NoticeKind
  userId: number
  /** A sentence; '' for none. */
  detail?: string
  /** The primary address when absent. */
  to?: string
}

/**
 * Notifies the owner of an account of what was done to it, and from where. Nothing is sent to an unconfirmed address.
 */
export async function postNotice(c: SiteContext, { kind, userId, detail, to }: Notice, now: number): Promise<void> {
  const owner = await readFirst(
    c.env.DB,
    query
      .select({ username: user.username, email: user.email, verifiedAt: user.emailVerifiedAt })
      .from(user)
      .where(eq(user.id, userId)),
  )
  if (!owner) return
  const address = to ?? (owner.verifiedAt === null ? null : owner.email)
  if (!address) return
  const resetUrl = siteAddress(c.env, '/accounts/password/reset/')
  const mail = noticeMail(kind, {
    username: owner.username,
    detail: detail ?? '',
    occasion: occasionOf(c, now),
    resetUrl,
  })
  const waiting = await prepareMail(c.env, { kind, address, userId, mail }, now)
  await write(c.env.DB, waiting.statement)
  queueMails(c, [waiting])
}

/** When and from where this request was made. @param now ms since epoch */
function occasionOf(c: SiteContext, now: number): Occasion {
  const { ipAddress, country } = placeOf(c)
  const address = ipAddress ?? 'an unknown address'
  const place = countryName(country)
  return {
    when: `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    where: place === '' ? address : `${address}, ${place}`,
    browser: browserName(c.req.header('user-agent') ?? null),
  }
}
