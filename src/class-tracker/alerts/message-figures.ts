import { eq, sql } from 'drizzle-orm'
import { prepared, query, read, type RowOf, write, parameter } from '../../db/query.ts'
import { delivery, messageCount, messageTimes } from '../../db/schema/index.ts'
import { DAY_MS, HOUR_MS, iso } from '../../lib/time.ts'
import type { MessageFigures, MonthCost, SentTimes } from './contract.ts'
import { countOf, findMessages, sentTimesOf } from './sent-times.ts'

/** Figures of few messages are renewed soon, those of 5,000 every five minutes: reading costs more with each. */
const MIN_AGE_MS = 10_000
const MIN_AGE_PER_MESSAGE_MS = 60
/** Older figures would be a false statement about the last 24 hours. */
const MAX_AGE_MS = HOUR_MS

/** The stored times: one row, or none before they were first computed. */
export const findTimes = prepared(() =>
  query
    .select({
      times: messageTimes.times,
      messages: messageTimes.messages,
      updated_at: messageTimes.updatedAt,
      /** When the newest message was written, ms since epoch; null if there is none. */
      newest_at: sql<
        number | null
      >`(SELECT ${delivery.createdAt} FROM ${delivery} ORDER BY ${delivery.id} DESC LIMIT 1)`,
    })
    .from(messageTimes)
    .limit(1),
)

interface Kept {
  times: readonly RowOf<ReturnType<typeof findTimes>>[]
  month: readonly RowOf<ReturnType<typeof findMonth>>[]
}

/**
 * The stored figures; null if there are none. Old ones are renewed for the next viewer; a viewer waits only if there
 * were none, or none for an hour, or none about a message and there is one now.
 * @param later takes work that the answer does not wait for
 */
export async function messageFigures(
  db: D1Database,
  { times: [stored], month }: Kept,
  now: number,
  later: (work: Promise<unknown>) => void,
): Promise<MessageFigures | null> {
  const isUsable = stored && now - stored.updated_at < MAX_AGE_MS && (stored.messages > 0 || !hasNewer(stored))
  const kept = isUsable ? stored : undefined
  const isOld = kept && now - kept.updated_at > MIN_AGE_MS + MIN_AGE_PER_MESSAGE_MS * kept.messages
  if (isOld) later(renewTimes(db, now))
  const times: SentTimes[] = kept ? JSON.parse(kept.times) : await renewTimes(db, now)
  if (times.length === 0 && month.length === 0) return null
  return { sent_times: times, month: monthCosts(month), updated_at: iso(kept?.updated_at ?? now) }
}

const hasNewer = ({ newest_at: newest, updated_at: at }: { newest_at: number | null; updated_at: number }): boolean =>
  newest !== null && newest >= at

async function renewTimes(db: D1Database, now: number): Promise<SentTimes[]> {
  const rows = await read(db, findMessages({ since: now - DAY_MS }))
  const times = sentTimesOf(rows)
  const row = { times: JSON.stringify(times), messages: countOf(rows), updatedAt: now }
  await write(
    db,
    query
      .insert(messageTimes)
      .values({ id: 1, ...row })
      .onConflictDoUpdate({ target: messageTimes.id, set: row }),
  )
  return times
}

/**
 * List prices, US dollars: SMS a segment (Twilio's $0.0083 and $0.003 for the carrier), email a message (Cloudflare,
 * beyond the first 3,000). The same as in the cost table of DEPLOYING.md. Other channels are free.
 */
const prices: Readonly<Record<string, number>> = { phone: 0.0113, email: 0.00035 }

const findCounts = prepared(() =>
  query
    .select({ channel: messageCount.channel, messages: messageCount.messages, segments: messageCount.segments })
    .from(messageCount)
    .where(eq(messageCount.month, parameter('month')))
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
