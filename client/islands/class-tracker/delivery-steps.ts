import type { ClassAlert, Delivery } from '../../../src/class-tracker/alerts/contract.ts'
import { channelNames } from '../../components/channel-names.ts'
import { durationText, measureText } from '../../components/time-text.ts'

interface Step {
  label: string
  state: 'done' | 'now' | 'todo' | 'failed' | 'ended'
}

/** Channels whose provider reports on a message after accepting it. */
const channelsWithReceipts: ReadonlySet<Delivery['channel']> = new Set(['phone', 'push'])

/** The note beside the last step of a channel without reports. */
export const noReceipts = 'no receipts on this channel'

export const hasReceipts = ({ channel }: Pick<Delivery, 'channel'>): boolean => channelsWithReceipts.has(channel)

/** The steps of one message: queued → accepted → delivered. Only the provider's answer completes a step. */
export function deliverySteps({
  channel,
  state,
  is_seat_unconfirmed: isSeatUnconfirmed,
}: Pick<Delivery, 'channel' | 'state' | 'is_seat_unconfirmed'>): Step[] {
  const queued: Step = { label: 'queued', state: 'done' }
  const accepted: Step = { label: 'accepted', state: 'todo' }
  const arrived = channel === 'push' ? 'shown' : 'delivered'
  const end: Step[] = hasReceipts({ channel }) ? [{ label: arrived, state: 'todo' }] : []
  switch (state) {
    case 'waiting':
      return [{ label: 'waiting for the push to be seen', state: 'now' }, accepted, ...end]
    case 'held':
      return [{ label: 'held', state: 'now' }, accepted, ...end]
    case 'queued':
      return [{ ...queued, state: 'now' }, accepted, ...end]
    case 'unconfirmed':
      return [queued, { label: 'unconfirmed', state: 'now' }, ...end]
    case 'sent':
      return [queued, { ...accepted, state: 'done' }, ...end]
    case 'delivered':
      return [queued, { ...accepted, state: 'done' }, { label: arrived, state: 'done' }]
    case 'opened':
      return [queued, { ...accepted, state: 'done' }, ...shownBefore(channel), { label: 'opened', state: 'done' }]
    case 'failed':
      return [queued, { label: 'failed', state: 'failed' }]
    case 'gone':
      return [queued, { label: 'seat gone before it was sent', state: 'ended' }]
    case 'expired':
      return [
        queued,
        { label: isSeatUnconfirmed ? 'seat not confirmed' : 'expired before it was sent', state: 'failed' },
      ]
    case 'not_needed':
      return [{ label: 'not needed: seen elsewhere', state: 'ended' }]
    case 'canceled':
      return [queued, { label: 'canceled', state: 'ended' }]
  }
}

/** A notification that was opened must have been shown; for other messages nothing is known in between. */
const shownBefore = (channel: Delivery['channel']): Step[] =>
  channel === 'push' ? [{ label: 'shown', state: 'done' }] : []

/** The first action of a person that shows they saw the message. Display on a device is a separate step. */
const answerLabels: Readonly<Partial<Record<NonNullable<Delivery['seen_by']>, string>>> = {
  got_it: 'got it',
  passed: 'passed',
  copied: 'number copied',
  stopped: 'stopped',
}

/** The last step that a person certainly saw, based on what they did; a device alone only reports that it was shown. */
export function answerStep({ channel, seen_at, seen_by }: Pick<Delivery, 'channel' | 'seen_at' | 'seen_by'>): Step[] {
  if (seen_at === null || seen_by === 'shown' || seen_by === 'opened') return []
  if (seen_by === null) return channel === 'push' ? [] : [{ label: 'seen', state: 'done' }]
  return [{ label: answerLabels[seen_by] ?? 'seen', state: 'done' }]
}

/** "1.2 s": how long after `from` (ISO 8601) the step was reached; '' if that is not recorded. */
export function stepTimeText(
  sent: Pick<Delivery, 'channel' | 'accepted_at' | 'delivered_at' | 'seen_at' | 'seen_by'>,
  label: string,
  from: string,
): string {
  const at = stepTime(sent, label)
  return at === null ? '' : measureText(Math.max(0, Date.parse(at) - Date.parse(from)))
}

function stepTime(
  { accepted_at, delivered_at, ...seen }: Parameters<typeof stepTimeText>[0],
  label: string,
): string | null {
  if (label === 'accepted') return accepted_at
  if (label === 'delivered' || label === 'shown') return delivered_at
  const isSeen = label === 'opened' ? seen.seen_by === 'opened' : answerStep(seen).some((step) => step.label === label)
  return isSeen ? seen.seen_at : null
}

/** "SMS", or "SMS and Email": each channel once. */
function channelsText(deliveries: readonly Delivery[]): string {
  return [...new Set(deliveries.map(({ channel }) => channelNames[channel]))].join(' and ')
}

const isAccepted = ({ state }: Delivery): boolean => state === 'sent' || state === 'delivered' || state === 'opened'
const isUnderWay = ({ state }: Delivery): boolean => ['waiting', 'held', 'queued', 'unconfirmed'].includes(state)

/** A duration, rounded up: "17 s" for 16.2 s; if a clock went back, a second. */
const atMostText = (milliseconds: number): string => durationText(Math.max(1000, milliseconds), Math.ceil)

/**
 * "Sent 1 s after we saw it · open at most 17 s before that": how long our part took, up to the last accepted message,
 * and how long the seat may have been open unseen. While a message is under way, its channel is named instead of
 * counted. '' before any was accepted; a reminder is about a seat seen long ago, so it has no such line.
 */
export function responseTimeText(
  alert: Pick<ClassAlert, 'kind' | 'last_closed_at' | 'seen_open_at' | 'deliveries'>,
): string {
  const accepted = alert.deliveries.filter(isAccepted)
  const times = accepted.flatMap(({ accepted_at: at }) => (at === null ? [] : [Date.parse(at)]))
  if (alert.kind === 'reminder' || times.length === 0) return ''
  const seen = Date.parse(alert.seen_open_at)
  const left = alert.deliveries.filter(isUnderWay)
  const took = durationText(Math.max(0, Math.max(...times) - seen))
  const sent =
    left.length === 0
      ? `Sent ${took} after we saw it`
      : `${channelsText(accepted)} sent ${took} after we saw it, ${channelsText(left)} on its way`
  if (alert.last_closed_at === null) return sent
  return `${sent} · open at most ${atMostText(seen - Date.parse(alert.last_closed_at))} before that`
}
