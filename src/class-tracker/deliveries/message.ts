import * as z from 'zod/mini'
import type { Message } from '../../notify/channel.ts'
import { composeAlerts } from '../../notify/compose.ts'
import type { AlertFacts } from '../../notify/compose/alert-facts.ts'
import { Embed } from '../../notify/compose/discord-embeds.ts'
import { unsubscribeToken } from '../../notify/unsubscribe-token.ts'
import { sectionLink } from '../courses/section-link.ts'
import { deviceToken } from '../recipients/signed-id.ts'
import { ownLink } from '../recipients/own-link.ts'
import { type AlertToSend, type ClaimedDelivery, productName } from './claim-delivery.ts'
import { instructionOf, numberLabel } from '../courses/section-row.ts'

const StoredMessage = z.object({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  unsubscribe_url: z.nullable(z.string()),
  push: z.optional(z.object({ url: z.string(), about: z.string(), is_silent: z.boolean(), token: z.string() })),
  embeds: z.array(Embed),
})
/** The text parts of a message, stored before its first try, so that every later try is identical. */
export type StoredMessage = z.infer<typeof StoredMessage>

/** An unconfirmed message exactly as it was sent; a new one, or a notification, about the current seats. */
export async function messageOf(delivery: ClaimedDelivery, env: Env): Promise<StoredMessage> {
  const stored = delivery.body ? StoredMessage.parse(JSON.parse(delivery.body)) : null
  // A notification replaces the one before it; others must not differ from the copy that may have arrived.
  const isReplaced = delivery.channel === 'push' && delivery.cancellation === null
  if (stored && !isReplaced) return stored
  const unsubscribeUrl = await unsubscribeLink(delivery, env)
  const link = `${env.APP_URL}/s/${delivery.link_code}`
  const composed = composeAlerts(factsOf(delivery.alerts), {
    channel: delivery.channel,
    product_name: delivery.product_name ?? productName.initial,
    link,
    recipient_url: delivery.channel === 'email' ? await ownLink(env, delivery.recipient) : null,
    unsubscribe_url: unsubscribeUrl,
    is_first: delivery.is_first,
  })
  const push = delivery.channel === 'push' ? { push: await pushParts(delivery, link, env, stored?.push?.about) } : {}
  return { ...composed, unsubscribe_url: unsubscribeUrl, ...push }
}

/** @param firstTriedAt gives a message another key than an earlier one that was certainly not accepted */
export function sendable(delivery: ClaimedDelivery, stored: StoredMessage, firstTriedAt: number, env: Env): Message {
  const key = `${delivery.id}-${firstTriedAt}`
  return {
    ...stored,
    push: stored.push && { ...stored.push, delivery: key },
    idempotency_key: `delivery-${key}`,
    address: delivery.address,
    status_callback_url: `${env.APP_URL}/notify/sms/status?delivery=${key}`,
    valid_until: delivery.expires_at,
  }
}

/**
 * What a push message carries besides text: the address of the message's page, and the device's token.
 * @param about that of an earlier copy, which this one replaces even if it leaves out a section
 */
async function pushParts(
  { alerts, contact_id, address, is_silent }: ClaimedDelivery,
  link: string,
  env: Env,
  about = `sections ${alerts.map(({ section_id }) => section_id).toSorted((one, other) => one - other)}`,
): Promise<StoredMessage['push']> {
  return {
    url: link,
    about,
    is_silent,
    token: contact_id === null ? '' : await deviceToken(env, contact_id, address),
  }
}

/** The message that a provider's report is about; null if the report does not say. */
export function reportedMessage(key: string | undefined): { id: number; first_tried_at: number } | null {
  const [, id, firstTriedAt] = /^(\d{1,15})-(\d{1,15})$/.exec(key ?? '') ?? []
  return id && firstTriedAt ? { id: Number(id), first_tried_at: Number(firstTriedAt) } : null
}

/** Phones unsubscribe by replying STOP, devices in their settings. A link is valid only for this message's address. */
async function unsubscribeLink({ channel, address, contact_id }: ClaimedDelivery, env: Env): Promise<string | null> {
  if (channel === 'phone' || channel === 'push' || contact_id === null) return null
  const token = await unsubscribeToken({ id: contact_id, kind: channel, address }, env.SECRET_KEY)
  return `${env.APP_URL}/notify/unsubscribe/${token}`
}

/** One entry per section, however many of its alerts the delivery carries; an opening outranks a reminder. */
function factsOf(rows: readonly AlertToSend[]): AlertFacts[] {
  const bySection = Map.groupBy(rows, (row) => row.section_id)
  return [...bySection.values()].flatMap((alerts) => {
    const [row] = alerts
    if (!row) return []
    const instructions = instructionOf(row.instruction_list)
    return {
      ...row,
      kind: alerts.some((alert) => alert.kind === 'opening') ? ('opening' as const) : ('reminder' as const),
      // What a person entered is newer than the reading that it replaced.
      observed_at: row.vouched_until === null ? row.observed_at : Math.max(row.observed_at ?? 0, row.set_open_at ?? 0),
      title: row.topic === '' ? row.title : row.topic,
      label: numberLabel(row.source_kind),
      instructors: distinct(instructions.map(({ name }) => name)),
      days_times: distinct(instructions.map(({ days_times }) => days_times)),
      places: row.place === '' ? [] : [row.place],
      register_url: sectionLink(row),
    }
  })
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ''))]
}
