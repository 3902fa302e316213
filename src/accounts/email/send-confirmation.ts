import { sql } from 'drizzle-orm'
import { into, type Query, query, readFirst, statement, writeTogether } from '../../db/query.ts'
import { emailAddress, emailConfirmation, user } from '../../db/schema/index.ts'
import { counted } from '../../lib/text.ts'
import { DAY_MS } from '../../lib/time.ts'
import { flash } from '../../web/session/flash.ts'
import { hashOf, randomToken } from '../../web/security/signing.ts'
import type { SiteContext } from '../../web/site.ts'
import { giveBack, RETRY_SECONDS, takeTurn } from '../account-limits.ts'
import { type RequestedMail, takeMail, takeOtherSpelling } from '../mail-limits.ts'
import { accountExistsMail, confirmAddressMail, unknownAccountMail } from '../mails/mails.ts'
import { type NewMail, queueMails, prepareMail, type WaitingMail } from '../mails/prepare-mail.ts'
import { siteAddress } from '../mails/links.ts'
import type { MailedUser } from '../find-user.ts'
import { confirmEmailPath, signUpPath, resetPath } from '../paths.ts'

/** Three days, like django-allauth's EMAIL_CONFIRMATION_EXPIRE_DAYS. */
const LIFETIME_MS = 3 * DAY_MS

interface UserAddress {
  userId: number
  address: string
}

/** `adding` belongs in a batch; it writes nothing for user 0. */
async function makeConfirmationKey(
  { userId, address }: UserAddress,
  now: number,
): Promise<{ path: string; adding: Query }> {
  const key = randomToken()
  const { keyHash, createdAt, expiresAt } = emailConfirmation
  const columns = into(
    emailConfirmation,
    keyHash,
    emailConfirmation.userId,
    emailConfirmation.address,
    createdAt,
    expiresAt,
  )
  const adding = statement(sql`INSERT INTO ${columns}
    SELECT ${await hashOf(key)}, ${user.id}, ${address}, ${now}, ${now + LIFETIME_MS} FROM ${user} WHERE ${user.id} = ${userId}`)
  return { path: `${confirmEmailPath}${key}/`, adding }
}

function confirmationMail(env: Env, { userId, address }: UserAddress, path: string): NewMail {
  return { kind: 'confirm_address', address, userId, mail: confirmAddressMail(siteAddress(env, path)) }
}

/** It says that no email was sent, even when it is reloaded and the message is gone. */
export const noneSentPath = `${confirmEmailPath}?none`

/**
 * Sends a confirmation link and says so: at most one in 180 s to an account's address, so that no stranger's account
 * keeps the owner from theirs, and under the limits of account emails.
 * Returns the path of the page that says it to a visitor.
 * When someone else has verified the address, that owner is notified instead; the person who asked cannot see the
 * difference.
 */
export async function sendConfirmation(c: SiteContext, { userId, address }: UserAddress): Promise<string> {
  const turn: Parameters<typeof giveBack>[1] = ['confirmAddress', `${userId} ${address}`]
  const recentFor = await takeTurn(c, turn)
  if (recentFor === 'unchecked') {
    flash(c, 'warning', `No email could be sent to ${address} just now. Try again in ${RETRY_SECONDS} seconds.`)
    return noneSentPath
  }
  if (recentFor !== null) {
    const again = `If it does not arrive, ask again in ${recentFor} seconds.`
    flash(c, 'warning', `An email was sent to ${address} a moment ago, so no other one was sent. ${again}`)
    return confirmEmailPath
  }
  const lower = address.toLowerCase()
  // Visitors who use up an address' limit do not keep a member from adding it.
  const key = c.get('user')?.id === userId ? `${lower} of a member` : lower
  const tooManyFor = await takeMail(c, 'link', { key, isKnownBrowser: false, spelling: address })
  if (tooManyFor !== null) {
    await giveBack(c, turn)
    const again = `Try again in ${counted(Math.ceil(tooManyFor / 60), 'minute')}.`
    flash(c, 'warning', `Too many emails were requested, so none was sent to ${address}. ${again}`)
    return noneSentPath
  }
  try {
    await writeConfirmation(c, { userId, address }, Date.now())
  } catch (error) {
    await giveBack(c, turn)
    throw error
  }
  flash(c, 'info', `Confirmation email sent to ${address}.`)
  return confirmEmailPath
}

/** The link is stored even when it is not sent, so that both cases take the same time. */
async function writeConfirmation(c: SiteContext, { userId, address }: UserAddress, now: number): Promise<void> {
  const isOthers = sql`lower(${emailAddress.address}) = lower(${address}) AND ${emailAddress.verifiedAt} IS NOT NULL
    AND ${emailAddress.userId} <> ${userId}`
  const fields = { userId: emailAddress.userId, address: emailAddress.address }
  const owner = await readFirst(c.env.DB, query.select(fields).from(emailAddress).where(isOthers))
  const link = await makeConfirmationKey({ userId, address }, now)
  const newMail: NewMail = owner
    ? {
        kind: 'account_exists',
        ...owner,
        mail: accountExistsMail(siteAddress(c.env, resetPath)),
      }
    : confirmationMail(c.env, { userId, address }, link.path)
  const mail = await prepareMail(c.env, newMail, now)
  await writeTogether(c.env.DB, [mail.statement, link.adding])
  queueMails(c, [mail])
}

/**
 * Prepares the email to an unverified address for which someone requests access: a confirmation link if an account has
 * the address, otherwise a note that there is none. `adding` writes nothing without an account, so that both cases take
 * the same time.
 * @param user the account that has the address, unverified; null for none
 * @param now ms since epoch
 */
async function answerUnverified(
  env: Env,
  typed: string,
  user: MailedUser | null,
  now: number,
): Promise<{ newMail: NewMail; adding: Query }> {
  const address = user?.address ?? typed
  const { path, adding } = await makeConfirmationKey({ userId: user?.id ?? 0, address }, now)
  const newMail: NewMail = user
    ? confirmationMail(env, { userId: user.id, address }, path)
    : {
        kind: 'unknown_account',
        address,
        userId: null,
        mail: unknownAccountMail(siteAddress(env, signUpPath)),
      }
  return { newMail, adding }
}

/** The address for which someone requests access, as it was typed, and the user who has it. */
export interface AskedAddress {
  typed: string
  user: MailedUser | null
}

/** Who gets in with an address; null if no one has verified it. */
export const verifiedOwner = ({ user }: AskedAddress): MailedUser | null => (user?.is_verified ? user : null)

/**
 * Prepares the email that answers a request for access; the same work for every address. Only someone who has verified
 * the address gets what was requested.
 */
export async function prepareAccessMail(
  c: SiteContext,
  requested: RequestedMail,
  asked: AskedAddress,
  { mailTo, now }: { mailTo: (owner: MailedUser) => Pick<NewMail, 'kind' | 'mail'>; now: number },
): Promise<{ mails: WaitingMail[]; statements: Query[] }> {
  const owner = verifiedOwner(asked)
  const isTooMuch = (await takeOtherSpelling(c, requested, asked.typed)) !== null && owner === null
  const other = await answerUnverified(c.env, asked.typed, owner ? null : asked.user, now)
  const newMail = owner ? { ...mailTo(owner), address: owner.address, userId: owner.id } : other.newMail
  const mail = await prepareMail(c.env, newMail, now, isTooMuch ? sql`false` : undefined)
  return { mails: isTooMuch ? [] : [mail], statements: [other.adding, mail.statement] }
}
