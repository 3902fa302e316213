import * as z from 'zod/mini'
import { ContactKind, SeenBy, shownDeliveryStates } from '../../lib/contract.ts'
import { Id, Moment, Pagination } from '../../web/contract.ts'
import { CourseSection, problemFields, School } from '../courses/contract.ts'

export const Delivery = z.object({
  id: Id,
  channel: ContactKind,
  /** Masked: enough to recognize, not enough to use. */
  address: z.string(),
  state: z.enum(shownDeliveryStates),
  attempts: z.number(),
  is_repeated: z.boolean(),
  last_error: z.nullable(z.string()),
  /** Of one that expired: its section was not recently read as open, which a held message must be. */
  is_seat_unconfirmed: z.optional(z.literal(true)),
  /** Of one that failed: the address does not accept messages, so that sending it again would not help. */
  is_undeliverable: z.optional(z.literal(true)),
  created_at: Moment,
  accepted_at: z.nullable(Moment),
  delivered_at: z.nullable(Moment),
  /** When a person certainly saw it, and how. */
  seen_at: z.nullable(Moment),
  seen_by: z.nullable(SeenBy),
})
export type Delivery = z.infer<typeof Delivery>

export const ClassAlert = z.object({
  id: Id,
  recipient: z.object({ id: Id, name: z.string() }),
  course_section: z.extend(CourseSection, { school: School }),
  /** Whether the section's seats are current: it was read within the last ten minutes. */
  is_current: z.boolean(),
  datetime_created: Moment,
  kind: z.enum(['opening', 'reminder']),
  /** sent: at least one delivery was accepted; no_contact is shown as 'not sent: no contact'. */
  state: z.enum(['pending', 'held', 'sent', 'failed', 'gone', 'expired', 'canceled', 'no_contact']),
  /** Of one without a usable contact: its recipient has contacts, all of them off, opted out or undeliverable. */
  has_contacts: z.optional(z.literal(true)),
  release_at: z.nullable(Moment),
  /** With fair turns: the wave it belongs to, 0 for the first. */
  wave: z.number(),
  last_closed_at: z.nullable(Moment),
  seen_open_at: Moment,
  /** The first acceptance by a provider. */
  accepted_at: z.nullable(Moment),
  deliveries: z.array(Delivery),
})
export type ClassAlert = z.infer<typeof ClassAlert>

/** How long the messages of one channel took, from the poll that saw the seat. Times are ms, null without any. */
export const SentTimes = z.object({
  channel: ContactKind,
  /** accepted: by the provider; delivered: its receipt confirms the arrival; seen: the device or person reported it. */
  step: z.enum(['accepted', 'delivered', 'seen']),
  /** About openings just seen, in 24 hours, of the newest 5000. */
  messages: z.number(),
  /** How many of them reached this step. */
  measured: z.number(),
  p50: z.nullable(z.number()),
  p95: z.nullable(z.number()),
  /** The largest group of messages written together: how long the last of them took to reach this step. */
  largest_group: z.object({ messages: z.number(), measured: z.number(), last: z.nullable(z.number()) }),
})
export type SentTimes = z.infer<typeof SentTimes>

/** What one channel sent this month (UTC), and what that costs at list prices, US dollars. */
export const MonthCost = z.object({
  channel: ContactKind,
  messages: z.number(),
  /** For SMS; null for other channels. */
  segments: z.nullable(z.number()),
  usd: z.number(),
})
export type MonthCost = z.infer<typeof MonthCost>

/** How long all messages took, and what they cost. `sent_times` are from `updated_at`; the costs are current. */
export const MessageFigures = z.object({
  sent_times: z.array(SentTimes),
  month: z.array(MonthCost),
  updated_at: Moment,
})
export type MessageFigures = z.infer<typeof MessageFigures>

export const ClassAlertsProps = z.object({
  class_alerts: z.array(ClassAlert),
  recipients: z.array(z.object({ id: Id, name: z.string() })),
  selected_recipient_id: z.nullable(Id),
  q: z.string(),
  /** Only alerts with a failed message. */
  result: z.optional(z.literal('failed')),
  /** Only alerts with a message on this channel; with `result`, only those whose message on it failed. */
  channel: z.optional(ContactKind),
  /** How many alerts there are on all pages. */
  total: z.optional(z.number()),
  pagination: Pagination,
  /** Absent if no message was sent in the last 24 hours or this month. */
  message_figures: z.optional(MessageFigures),
  ...problemFields,
})
export type ClassAlertsProps = z.infer<typeof ClassAlertsProps>
