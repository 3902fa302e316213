import { eq, sql } from 'drizzle-orm'
import { kept, query, type RowOf } from '../../db/query.ts'
import { messageCount } from '../../db/schema/index.ts'
import { iso } from '../../lib/time.ts'
import type { MonthCost } from './contract.ts'

/**
 * List prices, US dollars: SMS a segment (Twilio's $0.0083 and $0.003 for the carrier), email a message (Cloudflare,
 * beyond the first 3,000). The same as in the cost table of DEPLOYING.md. Other channels are free.
 */
const prices: Readonly<Record<string, number>> = { phone: 0.0113, email: 0.00035 }

const findCounts = kept(() =>
  query
    .select({ channel: messageCount.channel, messages: messageCount.messages, segments: messageCount.segments })
    .from(messageCount)
    .where(eq(messageCount.month, sql.placeholder('month')))
    .orderBy(messageCount.channel),
)

/** What was sent in the month of `now` (ms, UTC). */
export const findMonth = (now: number) => findCounts({ month: iso(now).slice(0, 7) })

/** What each channel has cost this month, at list prices. */
export function monthCosts(rows: readonly RowOf<ReturnType<typeof findCounts>>[]): MonthCost[] {
  return rows.map(({ channel, messages, segments }) => ({
    channel,
    messages,
    segments: channel === 'phone' ? segments : null,
    usd: Math.round(segments * (prices[channel] ?? 0) * 100) / 100,
  }))
}
