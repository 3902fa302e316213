import { inArray, sql } from 'drizzle-orm'
import { kept, query, readFirst } from '../db/query.ts'
import { setting } from '../db/schema/index.ts'
import { HOUR_MS } from '../lib/durations.ts'
import { limitedAddress } from '../web/client-address.ts'
import type { SiteContext } from '../web/site.ts'
import { limited, type LimitRule, take } from './account-limits.ts'
import { mailboxKey } from './email/mailbox-key.ts'
import type { MailedUser } from './find-user.ts'
import { budgetOf, knownBrowser } from './known-browser.ts'

/**
 * Settings: how many account mails per hour one client may request, and how many the site sends. A whole campus may
 * share a few client addresses.
 */
export const MAX_MAILS_PER_CLIENT_HOUR = 60
export const MAX_MAILS_PER_SITE_HOUR = 2000

const rules = {
  ofMailbox: { action: 'account-mails', limit: 5, window_ms: HOUR_MS },
  ofMailboxADay: { action: 'account-mails-a-day', limit: 20, window_ms: 24 * HOUR_MS },
  ofClient: { action: 'account-mails-of-client', limit: MAX_MAILS_PER_CLIENT_HOUR, window_ms: HOUR_MS },
  ofSite: { action: 'account-mails-of-site', limit: MAX_MAILS_PER_SITE_HOUR, window_ms: HOUR_MS },
} satisfies Record<string, LimitRule>

/** Whose limit a requested mail counts against. */
interface MailBudget {
  /** The mailbox's limit, or for a known browser of its owner a separate limit that strangers cannot use up. */
  key: string
  isKnown: boolean
}

/** @param user who has the address, if anybody */
export async function mailBudgetOf(c: SiteContext, address: string, user: MailedUser | null): Promise<MailBudget> {
  const isKnown = user !== null && user.is_verified && (await knownBrowser(c, user)) !== null
  return { key: isKnown ? await budgetOf(c, user) : mailboxKey(address), isKnown }
}

const [perClient, perSite] = ['account_mails_per_client_hour', 'account_mails_per_site_hour']
const numberOf = (name: string) =>
  sql<number | null>`max(CASE ${setting.name} WHEN ${name} THEN CAST(${setting.value} AS INTEGER) END)`

const findLimits = kept(() =>
  query
    .select({ per_client: numberOf(perClient), per_site: numberOf(perSite) })
    .from(setting)
    .where(inArray(setting.name, [perClient, perSite])),
)

/**
 * Counts one mail that a user requested against the limits of the client, the mailbox, and the site. Returns null, or
 * the seconds to wait; while limits cannot be checked, no mail is sent. The answer does not depend on whether the
 * address has an account.
 */
export async function takeMail(c: SiteContext, { key, isKnown }: MailBudget): Promise<number | null> {
  return limited(async () => {
    const set = await readFirst(c.env.DB, findLimits())
    const ofClient = { ...rules.ofClient, limit: set?.per_client ?? rules.ofClient.limit }
    const ofSite = { ...rules.ofSite, limit: set?.per_site ?? rules.ofSite.limit }
    return (
      (await take(c, ofClient, limitedAddress(c))) ??
      (await take(c, rules.ofMailbox, key)) ??
      (await take(c, rules.ofMailboxADay, key)) ??
      (isKnown ? null : await take(c, ofSite, 'site'))
    )
  })
}
