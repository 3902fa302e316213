import { sql } from 'drizzle-orm'
import { constant, parameter, prepared, type RowOf, template } from '../../db/query.ts'
import { delivery, opening } from '../../db/schema/index.ts'
import type { SentTimes } from './contract.ts'
import { d } from '../aliases.ts'

/** How many of the newest messages are read, so that the figures cost no more on the busiest day. */
export const MAX_MESSAGES = 5000

/**
 * The newest messages since `since` (ms since epoch), grouped by poll, channel, state and `seen_at`. Reads two rows for
 * each message and one for each poll. `accepted`, `delivered` and `seen` are JSON lists of times (ms since epoch),
 * without those of messages that are unconfirmed or failed later. `seen_at` is when the poll saw the opening; null for
 * reminders and messages that were held on purpose or sent again by a person.
 */
export const findMessages = prepared(() =>
  template(
    {
      poll_id: d.pollId,
      channel: d.channel,
      state: d.state,
      messages: sql<number>`count(*)`,
      accepted: sql<string>`json_group_array(${d.acceptedAt}) FILTER (WHERE ${d.state} IN ('sent', 'delivered', 'opened')
        AND ${d.acceptedAt} IS NOT NULL)`,
      delivered: sql<string>`json_group_array(${d.deliveredAt}) FILTER (WHERE ${d.state} IN ('delivered', 'opened')
        AND ${d.deliveredAt} IS NOT NULL)`,
      seen: sql<string>`json_group_array(${d.seenAt}) FILTER (WHERE ${d.seenAt} IS NOT NULL)`,
      seen_at: sql<
        number | null
      >`iif(${d.restartedAt} IS NULL, (SELECT min(${opening.seenOpenAt}) FROM ${opening} WHERE ${opening.pollId} = ${d.pollId}), NULL)`,
    },
    (columns) => sql`SELECT ${columns}
      FROM (SELECT * FROM ${delivery} ORDER BY ${delivery.id} DESC LIMIT ${constant(MAX_MESSAGES)}) ${d}
      WHERE ${d.createdAt} >= ${parameter('since')} GROUP BY ${d.channel}, ${d.pollId}, ${d.state}, ${d.restartedAt} IS NULL`,
  ),
)
type MessageRow = RowOf<ReturnType<typeof findMessages>>

/** How many messages there are in each state. */
export function statesOf(rows: readonly MessageRow[]): { state: string; messages: number }[] {
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, its]) => ({ state, messages: countOf(its) }))
}

export const countOf = (rows: readonly { messages: number }[]) => rows.reduce((sum, { messages }) => sum + messages, 0)

type SeenRow = MessageRow & { seen_at: number }

/** Channels in display order. */
const channels = ['push', 'phone', 'email', 'discord'] as const

/** How long messages took, for each channel and each step: accepted by the provider, delivered, seen. */
export function sentTimesOf(rows: readonly MessageRow[]): SentTimes[] {
  // A text that was not needed because a notification was seen has no time.
  const seen = rows.flatMap((row) =>
    row.seen_at === null || row.state === 'not_needed' ? [] : [{ ...row, seen_at: row.seen_at }],
  )
  const byChannel = Map.groupBy(seen, ({ channel }) => channel)
  return channels.flatMap((channel) => {
    const its = byChannel.get(channel)
    if (!its) return []
    const later = [timesOf(channel, 'delivered', its), timesOf(channel, 'seen', its)]
    return [timesOf(channel, 'accepted', its), ...later.filter(({ measured }) => measured > 0)]
  })
}

function timesOf(channel: SentTimes['channel'], step: SentTimes['step'], rows: readonly SeenRow[]): SentTimes {
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

/** A percentile of values in ascending order; null if there are none. */
function percentile(values: readonly number[], share: number): number | null {
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null
}
