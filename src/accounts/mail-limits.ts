import { prepared, readFirst, selectValues } from '../db/query.ts'
import { settingNumber } from '../db/read-setting.ts'
import { HOUR_MS } from '../lib/time.ts'
import { limitedAddress, limitedNetwork } from '../web/security/client-address.ts'
import type { SiteContext } from '../web/site.ts'
import { giveBackTaken, limited, type LimitRule, take } from './account-limits.ts'
import { mailboxKey } from '../notify/email/mail-address.ts'
import type { MailedUser } from './find-user.ts'
import { knownBrowser, limitKeyOf } from './known-browser.ts'

/** A whole campus may share a few client addresses. */
export const mailsPerClient = { setting: 'account_mails_per_client_hour', initial: 60, minimum: 1, maximum: 100_000 }
export const mailsPerSite = { setting: 'account_mails_per_site_hour', initial: 2000, minimum: 1, maximum: 100_000 }

/** An IPv6 network may request as many emails as this many clients. */
const CLIENTS_PER_NETWORK = 10

/** What is requested for a mailbox. Codes have limits of their own, so that they cannot use up the links. */
export type RequestedMail = 'code' | 'link'

/**
 * A day's limit is followed by single emails, hours apart, instead of a full stop: strangers cannot flood a mailbox, and
 * if they use up its limit, its owner does not wait for a day. Links that strangers requested work for the owner, too.
 */
const addressRules = (action: string): [anHour: LimitRule, aDay: LimitRule, beyond: LimitRule] => [
  { action, limit: 5, window_ms: HOUR_MS },
  { action: `${action}-a-day`, limit: 20, window_ms: 24 * HOUR_MS },
  { action: `${action}-beyond`, limit: 1, window_ms: 2 * HOUR_MS },
]
const ofAddress = { code: addressRules('account-codes'), link: addressRules('account-mails') }

/** Counts one email. Null, or the seconds to wait. */
type Count = (rule: LimitRule, of: string) => Promise<number | null>

/** Counts one email against several limits; one that is refused counts against none of them. */
async function countAll(c: SiteContext, counts: (count: Count) => Promise<number | null>): Promise<number | null> {
  const counted: [LimitRule, string][] = []
  async function count(rule: LimitRule, of: string): Promise<number | null> {
    const refusedFor = await take(c, rule, of)
    if (refusedFor === null) counted.push([rule, of])
    return refusedFor
  }
  const refusedFor = await limited(() => counts(count))
  if (refusedFor !== null) await Promise.all(counted.map(([rule, of]) => giveBackTaken(c, rule, of)))
  return refusedFor
}

async function countFor(requested: RequestedMail, key: string, count: Count): Promise<number | null> {
  const [anHour, aDay, beyond] = ofAddress[requested]
  return (await count(anHour, key)) ?? ((await count(aDay, key)) === null ? null : count(beyond, key))
}

const rules = {
  ofClient: { action: 'account-mails-of-client', window_ms: HOUR_MS },
  /** Of all clients in an IPv6 network, so that the owner of one cannot use up the site's. */
  ofNetwork: { action: 'account-mails-of-network', window_ms: HOUR_MS },
  ofSite: { action: 'account-mails-of-site', window_ms: HOUR_MS },
} satisfies Record<string, Omit<LimitRule, 'limit'>>

/** Which limit a requested email counts against. */
interface MailLimitKey {
  /** The address, or for a known browser of its owner that browser, whose limit strangers cannot use up. */
  key: string
  isKnownBrowser: boolean
  /** An address of this spelling also counts against the limit that all spellings share; default: it does not. */
  spelling?: string
}

/** @param user who has the address, if anyone */
export async function mailLimitKeyOf(c: SiteContext, address: string, user: MailedUser | null): Promise<MailLimitKey> {
  const isKnownBrowser = user !== null && user.is_verified && (await knownBrowser(c, user)) !== null
  return { key: isKnownBrowser ? await limitKeyOf(c, user) : address.toLowerCase(), isKnownBrowser }
}

/**
 * Counts an email against the limit that all spellings of a mailbox share, except for its plain one, because a stranger
 * can make up any number of them.
 */
async function countSpelling(requested: RequestedMail, address: string, count: Count): Promise<number | null> {
  const plain = mailboxKey(address)
  if (address.toLowerCase() === plain) return null
  return countFor(requested, `${plain} in another spelling`, count)
}

/**
 * Counts an email against the limit that other spellings share, where the answer must not reveal whether somebody has
 * verified the address: such an owner gets the email anyway, so that strangers cannot lock anyone out, and an email to
 * anyone else is dropped silently. Null, or the seconds to wait.
 */
export function takeOtherSpelling(c: SiteContext, requested: RequestedMail, address: string): Promise<number | null> {
  return countAll(c, (count) => countSpelling(requested, address, count))
}

const findLimits = prepared(() =>
  selectValues({ per_client: settingNumber(mailsPerClient), per_site: settingNumber(mailsPerSite) }),
)

/**
 * Counts one email against the limits of the client, its network, the address and the site. Null, or the seconds to
 * wait; the answer does not depend on whether the address has an account.
 */
export async function takeMail(
  c: SiteContext,
  requested: RequestedMail,
  { key, isKnownBrowser, spelling }: MailLimitKey,
): Promise<number | null> {
  return countAll(c, async (count) => {
    const set = await readFirst(c.env.DB, findLimits())
    const ofClient = { ...rules.ofClient, limit: set?.per_client ?? mailsPerClient.initial }
    const ofNetwork = { ...rules.ofNetwork, limit: CLIENTS_PER_NETWORK * ofClient.limit }
    const network = isKnownBrowser ? null : limitedNetwork(c)
    const ofSite = { ...rules.ofSite, limit: set?.per_site ?? mailsPerSite.initial }
    return (
      (await count(ofClient, limitedAddress(c))) ??
      (await countFor(requested, key, count)) ??
      (spelling === undefined ? null : await countSpelling(requested, spelling, count)) ??
      (network === null ? null : await count(ofNetwork, network)) ??
      (isKnownBrowser ? null : await count(ofSite, 'site'))
    )
  })
}
