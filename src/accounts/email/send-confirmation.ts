import { counted } from '../../web/counted.ts'
import { hashOf, randomToken } from '../../web/signing.ts'
import type { SiteContext } from '../../web/site.ts'
import { clearLimit, takeLimits } from '../account-limits.ts'
import { takeMail } from '../mail-limits.ts'
import { accountExistsMail, confirmAddressMail } from '../mails/mails.ts'
import { type Letter, queueMails, writeDown } from '../mails/post-mail.ts'
import { siteAddress } from '../mails/site-address.ts'
import { mailboxKey } from './mailbox-key.ts'

/** 3 days: django-allauth's EMAIL_CONFIRMATION_EXPIRE_DAYS. */
const lifetimeMs = 3 * 24 * 60 * 60_000

interface Claimed {
  userId: number
  address: string
}

/** The key of a link that confirms the address, as a statement for a batch; it writes nothing for user 0. @param now ms since epoch */
export async function makeConfirmationKey(
  env: Env,
  { userId, address }: Claimed,
  now: number,
): Promise<{ path: string; statement: D1PreparedStatement }> {
  const key = randomToken()
  const statement = env.DB.prepare(
    `INSERT INTO email_confirmation (key_hash, user_id, address, created_at, expires_at)
     SELECT ?1, id, ?3, ?4, ?5 FROM user WHERE id = ?2`,
  ).bind(await hashOf(key), userId, address, now, now + lifetimeMs)
  return { path: `/accounts/confirm-email/${key}/`, statement }
}

/** The mail with such a link. */
export function confirmationLetter(env: Env, { userId, address }: Claimed, path: string): Letter {
  return { kind: 'confirm_address', address, userId, mail: confirmAddressMail(siteAddress(env, path)) }
}

/** `retryAfter`: seconds until a mail may go to this address again. `why`: one just went, or too many were asked for. */
export type Confirmation = { sent: true } | { sent: false; retryAfter: number; why: 'recent' | 'too_many' }

/**
 * Mails a link that confirms the address, at most once in 180 s for a mailbox and under the limits of account mails. When somebody else has it verified, its owner is
 * told instead; nobody who asks can see the difference.
 * @param now ms since epoch
 */
export async function sendConfirmation(
  c: SiteContext,
  { userId, address }: Claimed,
  now: number,
): Promise<Confirmation> {
  const mailbox = mailboxKey(address)
  const recentFor = await takeLimits(c, [['confirmAddress', mailbox]])
  if (recentFor !== null) return { sent: false, retryAfter: recentFor, why: 'recent' }
  const tooManyFor = await takeMail(c, { key: mailbox, isKnown: false })
  if (tooManyFor !== null) {
    // Nothing went, so the next time it must not be said that something had.
    await clearLimit(c, 'confirmAddress', mailbox)
    return { sent: false, retryAfter: tooManyFor, why: 'too_many' }
  }
  const owner = await c.env.DB.prepare(
    `SELECT user_id, address FROM email_address
     WHERE lower(address) = lower(?) AND verified_at IS NOT NULL AND user_id <> ?`,
  )
    .bind(address, userId)
    .first<{ user_id: number; address: string }>()
  const key = await makeConfirmationKey(c.env, { userId, address }, now)
  const letter: Letter = owner
    ? {
        kind: 'account_exists',
        address: owner.address,
        userId: owner.user_id,
        mail: accountExistsMail(siteAddress(c.env, '/accounts/password/reset/')),
      }
    : confirmationLetter(c.env, { userId, address }, key.path)
  const mail = await writeDown(c.env, letter, now)
  // A key nobody was sent is as good as none; written all the same, the two cases take the same time.
  await c.env.DB.batch([mail.statement, key.statement])
  queueMails(c, [mail])
  return { sent: true }
}

/** What to say after {@link sendConfirmation}. */
export function confirmationMessage(result: Confirmation, address: string): ['info' | 'warning', string] {
  if (result.sent) return ['info', `Confirmation email sent to ${address}.`]
  if (result.why === 'too_many') {
    const minutes = Math.ceil(result.retryAfter / 60)
    const again = `Try again in ${counted(minutes, 'minute')}.`
    return ['warning', `Too many emails were requested, so none was sent to ${address}. ${again}`]
  }
  return [
    'warning',
    `An email was sent to ${address} a moment ago, so no other one was sent. If it does not come, ask again in ${result.retryAfter} seconds.`,
  ]
}
