import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { kept, type RowOf, template } from '../../db/query.ts'
import { delivery, opening } from '../../db/schema/index.ts'
import type { SentTimes } from './contract.ts'

/** How many of the newest messages are read, so that the figures cost no more on the busiest day. */
export const MAX_MESSAGES = 5000

const d = alias(delivery, 'd')

/**
 * The newest messages since `since` (ms since epoch), two rows read for each and one for each poll: those of one
 * channel and state that were written together, because of one poll. `accepted`, `delivered` and `seen` are JSON lists
 * of the times (ms since epoch) that may count: none of a message that is still unconfirmed, or failed later. `seen_at`
 * is when the poll saw the opening; null for reminders and messages that were held on purpose.
 */
export const findMessages = kept(() =>
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
      >`(SELECT min(${opening.seenOpenAt}) FROM ${opening} WHERE ${opening.pollId} = ${d.pollId})`,
    },
    (columns) => sql`SELECT ${columns}
      FROM (SELECT * FROM ${delivery} ORDER BY ${delivery.id} DESC LIMIT ${sql.raw(String(MAX_MESSAGES))}) ${d}
      WHERE ${d.createdAt} >= ${sql.placeholder('since')} GROUP BY ${d.channel}, ${d.pollId}, ${d.state}`,
  ),
)
type MessageRow = RowOf<ReturnType<typeof findMessages>>

/** How many messages there are in each state. */
export function statesOf(rows: readonly MessageRow[]): { state: string; messages: number }[] {
  return [...Map.groupBy(rows, ({ state }) => state)].map(([state, its]) => ({ state, messages: countOf(its) }))
}

export const countOf = (rows: readonly { messages: number }[]) => rows.reduce((sum, { messages }) => sum + messages, 0)

type SeenRow = MessageRow & { seen_at: number }

/** Channels in display order; others follow. */
const order = ['push', 'phone', 'email', 'discord']

/** How long messages took, for each channel and each step: accepted by the provider, received, seen. */
export function sentTimesOf(rows: readonly MessageRow[]): SentTimes[] {
  // A text that was not needed because a notification was seen has no time.
  const seen = rows.flatMap((row) =>
    row.seen_at === null || row.state === 'not_needed' ? [] : [{ ...row, seen_at: row.seen_at }],
  )
  const byChannel = Map.groupBy(seen, ({ channel }) => channel)
  const place = (channel: string) => (order.indexOf(channel) + order.length + 1) % (order.length + 1)
  const channels = [...byChannel.keys()].toSorted((one, other) => place(one) - place(other) || one.localeCompare(other))
  return channels.flatMap((channel) => {
    const its = byChannel.get(channel) ?? []
    const accepted = timesOf(channel, 'accepted', its)
    const delivered = timesOf(channel, 'delivered', its)
    const seenBy = timesOf(channel, 'seen', its)
    return [accepted, ...[delivered, seenBy].filter(({ measured }) => measured > 0)]
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

/** A percentile of values in ascending order; null if there are none. */
function percentile(values: readonly number[], share: number): number | null {
  return values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null
}
