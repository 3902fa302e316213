import type { ClassAlert, Delivery } from '../../../src/class-tracker/contract.ts'
import { durationText } from '../../components/time-text.ts'

export interface Step {
  label: string
  state: 'done' | 'now' | 'todo' | 'failed' | 'ended'
}

/** The way of one message: queued → sent → delivered, and where it stands. Only the provider's word makes a step done. */
export function deliverySteps({ state }: Pick<Delivery, 'state'>): Step[] {
  const queued: Step = { label: 'queued', state: 'done' }
  const sent: Step = { label: 'sent', state: 'todo' }
  const delivered: Step = { label: 'delivered', state: 'todo' }
  switch (state) {
    case 'queued':
      return [{ ...queued, state: 'now' }, sent, delivered]
    case 'sending':
      return [queued, { label: 'sending', state: 'now' }, delivered]
    case 'unconfirmed':
      return [queued, { label: 'asking the provider', state: 'now' }, delivered]
    case 'sent':
      return [queued, { ...sent, state: 'done' }, delivered]
    case 'delivered':
      return [queued, { ...sent, state: 'done' }, { ...delivered, state: 'done' }]
    case 'failed':
      return [queued, { label: 'failed', state: 'failed' }]
    case 'canceled':
      return [queued, { label: 'canceled', state: 'ended' }]
  }
}

/**
 * "8 s from seat to phone": from the poll that saw the seat to the first acceptance by a provider; '' before that.
 * A reminder is about a seat seen long ago, so it has none.
 */
export function seatToPhoneText(
  alert: Pick<ClassAlert, 'kind' | 'seen_open_at' | 'accepted_at' | 'deliveries'>,
): string {
  if (alert.kind === 'reminder' || alert.accepted_at === null) return ''
  const length = Math.max(0, Date.parse(alert.accepted_at) - Date.parse(alert.seen_open_at))
  const end = alert.deliveries.some(({ channel }) => channel === 'phone') ? 'phone' : 'message'
  return `${durationText(length)} from seat to ${end}`
}
