import { HOUR_MS } from '../../lib/time.ts'
import { refuseOver } from '../../web/limits/limits.ts'
import { limitedAddress } from '../../web/security/client-address.ts'
import type { SiteContext } from '../../web/site.ts'

/** Wrong codes allowed per IP address: a person mistypes a few, while guessing takes 10¹⁷ tries. */
const MISS_LIMIT = { limit: 20, window_ms: HOUR_MS }

/**
 * Counts a wrong code of an alert link.
 * @throws tooMany
 */
export async function countMiss(c: SiteContext): Promise<void> {
  await refuseOver(c.env, 'alert_link_miss', limitedAddress(c), MISS_LIMIT)
}

/** The most changes to one recipient with links of one kind: each may be audited, and audit entries are kept forever. */
const CHANGE_LIMIT = { limit: 60, window_ms: HOUR_MS }

/**
 * Counts a change that can be repeated endlessly. Ending messages is not counted and always works. Alert links have a
 * separate limit, so that someone with a forwarded link cannot use up the limit of the recipient's page.
 * @throws tooMany
 */
export async function takeChange(
  env: Env,
  action: 'change_by_alert_link' | 'change_on_own_page',
  recipientId: number,
): Promise<void> {
  await refuseOver(env, action, String(recipientId), CHANGE_LIMIT)
}
