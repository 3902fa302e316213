import type { SentTimes } from '../contract.ts'

/** Messages of one channel and state that were written together, because of one poll, and the times of those it may count. */
export interface MessageRow {
  poll_id: string
  channel: string
  state: string
  messages: number
  /** When they were accepted (ms since epoch), as a JSON list; none that is still unconfirmed, or failed later. */
  accepted: string
  /** When their receipts came, likewise. */
  delivered: string
  /** When the poll saw the opening; null for reminders and what was held back on purpose. */
  seen_at: number | null
}

/** Messages looked at, the newest: the figures cost the same on the busiest day. */
export const MAX_MESSAGES = 5000

/** The newest messages since `since` (ms since epoch), two rows read for each and one for each poll. Rows are {@link MessageRow}. */
export function messagesStatement(db: D1Database, since: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT m.*, (SELECT min(o.seen_open_at) FROM opening o WHERE o.poll_id = m.poll_id) AS seen_at
       FROM (
         SELECT poll_id, channel, state, count(*) AS messages,
           json_group_array(accepted_at) FILTER (WHERE state IN ('sent', 'delivered', 'opened') AND accepted_at IS NOT NULL) AS accepted,
           json_group_array(delivered_at) FILTER (WHERE state IN ('delivered', 'opened') AND delivered_at IS NOT NULL) AS delivered
         FROM (SELECT poll_id, channel, state, accepted_at, delivered_at, created_at FROM delivery ORDER BY id DESC LIMIT ?1)
         WHERE created_at >= ?2 GROUP BY channel, poll_id, state) m`,
    )
    .bind(MAX_MESSAGES, since)
}

/** How many messages there are in each state. */
export function statesOf(rows: readonly MessageRow[]): { state: string; messages: number }[] {
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, its]) => ({ state, messages: countOf(its) }))
}

const countOf = (rows: readonly { messages: number }[]) => rows.reduce((sum, { messages }) => sum + messages, 0)

type SeenRow = MessageRow & { seen_at: number }

/** Channels in the order they are shown; others follow. */
const order = ['phone', 'email', 'discord']

/** How long messages took, each channel by itself and each step by itself: accepted by the provider, then received. */
export function sentTimesOf(rows: readonly MessageRow[]): SentTimes[] {
  const seen = rows.flatMap((row) => (row.seen_at === null ? [] : [{ ...row, seen_at: row.seen_at }]))
  const byChannel = Map.groupBy(seen, ({ channel }) => channel)
  const place = (channel: string) => (order.indexOf(channel) + order.length + 1) % (order.length + 1)
  const channels = [...byChannel.keys()].toSorted((one, other) => place(one) - place(other) || one.localeCompare(other))
  return channels.flatMap((channel) => {
    const its = byChannel.get(channel) ?? []
    const accepted = timesOf(channel, 'accepted', its)
    const delivered = timesOf(channel, 'delivered', its)
    return delivered.measured > 0 ? [accepted, delivered] : [accepted]
  })
}

function timesOf(channel: string, step: SentTimes['step'], rows: readonly SeenRow[]): SentTimes {
  const groups = [...Map.groupBy(rows, ({ poll_id }) => poll_id).values()].map((its) => ({
    messages: countOf(its),
    times: its.flatMap((row) => (JSON.parse(row[step]) as number[]).map((at) => Math.max(0, at - row.seen_at))),
  }))
  const rising = groups.flatMap(({ times }) => times).toSorted((one, other) => one - other)
  const largest = groups.reduce((one, other) => (other.messages > one.messages ? other : one))
  return {
    channel,
    step,
    messages: countOf(groups),
    measured: rising.length,
    p50: percentile(rising, 0.5),
    p95: percentile(rising, 0.95),
    largest_group: {
      messages: largest.messages,
      measured: largest.times.length,
      last: largest.times.length === 0 ? null : Math.max(...largest.times),
    },
  }
}

/** Of values in rising order; null without any. */
function percentile(values: readonly number[], share: number): number | null {
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null
}
