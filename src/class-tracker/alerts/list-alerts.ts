import { sql } from 'drizzle-orm'
import { constant, parameter, prepared, query, readTogether } from '../../db/query.ts'
import { recipient } from '../../db/schema/index.ts'
import { pausedQueues } from '../../jobs/paused-queues.ts'
import { maskedAddress } from '../../notify/addresses.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { paginate } from '../../web/pagination.ts'
import { typedSearch } from '../../lib/text.ts'
import { isCurrent } from '../courses/observed-at.ts'
import { sectionOf } from '../courses/section-row.ts'
import { pausedQueuesOf, problemsOf } from '../courses/tracker-problems.ts'
import { findUnreadSources, unreadSourcesOf } from '../courses/unread-sections.ts'
import type { ClassAlert, ClassAlertsProps, Delivery } from './contract.ts'
import { alertState } from './alert-state.ts'
import { type AlertRow, type AlertSearch, ALERTS_PER_PAGE, findAlerts, type DeliveryRow } from './find-alerts.ts'
import { findMonth, findTimes, messageFigures } from './message-figures.ts'
import { seatUnconfirmed } from './seen-open.ts'

const MAX_RECIPIENTS = 2000

interface Asked extends Omit<AlertSearch, 'q'> {
  /** As typed; it is shortened and cleaned. */
  search: string
}

/**
 * Everything the page *Class Alerts* shows, in one round trip; two if the recipient does not exist.
 * @param later takes work that the answer does not wait for
 */
export async function listAlerts(
  env: Env,
  asked: Asked,
  now: number,
  later: (work: Promise<unknown>) => void,
): Promise<ClassAlertsProps> {
  const { search, ...filters } = asked
  const q = typedSearch(search)
  const [found, paused] = await Promise.all([
    readPage(env.DB, { ...filters, q }, now),
    pausedQueues(env, ['polls', 'alerts']),
  ])
  const isThere = found.selected === filters.recipientId
  const { alerts, recipients, unread, selected, times, month } = isThere
    ? found
    : await readPage(env.DB, { ...filters, q, recipientId: null }, now)
  const figures = await messageFigures(env.DB, { times, month }, now, later)
  const total = alerts[0]?.total ?? 0
  const pagination = paginate({ page: filters.page, size: ALERTS_PER_PAGE, total })
  return {
    class_alerts: alerts.map((row) => classAlertOf(row, now)),
    recipients,
    selected_recipient_id: selected,
    q,
    ...(filters.isFailedOnly && { result: 'failed' as const }),
    ...(filters.channel && { channel: filters.channel }),
    ...(total > 0 && { total }),
    pagination,
    ...(figures && { message_figures: figures }),
    ...problemsOf({ paused_queues: pausedQueuesOf(paused), unread_sources: unreadSourcesOf(unread) }),
  }
}

async function readPage(db: D1Database, search: AlertSearch, now: number) {
  const [recipients, unread, times, month, alerts, [selected]] = await readTogether(
    db,
    findNames({ selected: search.recipientId }),
    findUnreadSources({ now }),
    findTimes(),
    findMonth(now),
    findAlerts(search),
    query
      .select({ id: recipient.id })
      .from(recipient)
      .where(sql`${recipient.id} = ${search.recipientId}`),
  )
  return { alerts, recipients, unread, selected: selected?.id ?? null, times, month }
}

const byName = sql`${recipient.name} COLLATE NOCASE, ${recipient.id}`

/** The names in the list of the filter: the first, and the selected one. */
const findNames = prepared(() =>
  query
    .select({ id: recipient.id, name: recipient.name })
    .from(recipient)
    .where(
      sql`${recipient.id} = ${parameter('selected')} OR ${recipient.id} IN (
        SELECT ${recipient.id} FROM ${recipient} ORDER BY ${byName} LIMIT ${constant(MAX_RECIPIENTS)})`,
    )
    .orderBy(byName),
)

function classAlertOf(row: AlertRow, now: number): ClassAlert {
  const { deliveries } = row
  const state = alertState({ ...row, deliveries: deliveries.map(({ state }) => state) })
  const accepted = deliveries.flatMap((delivery) => delivery.accepted_at ?? [])
  return {
    id: row.id,
    recipient: { id: row.recipient_id, name: row.recipient_name },
    course_section: { ...sectionOf(row, row.source_kind), school: { id: row.school_id, name: row.school_name } },
    is_current: isCurrent(row.section_observed_at, now),
    datetime_created: iso(row.created_at),
    kind: row.kind,
    state,
    ...(state === 'no_contact' && row.has_contacts === 1 && { has_contacts: true as const }),
    release_at: isoOrNull(row.release_at),
    wave: row.wave,
    last_closed_at: isoOrNull(row.last_closed_at),
    seen_open_at: iso(row.seen_open_at),
    accepted_at: accepted.length === 0 ? null : iso(Math.min(...accepted)),
    deliveries: deliveries.map(deliveryOf),
  }
}

function deliveryOf({ device, is_undeliverable: isUndeliverable, ...stored }: DeliveryRow): Delivery {
  return {
    ...stored,
    state: stored.state === 'sending' ? 'queued' : stored.state,
    ...(isSeatUnconfirmed(stored) && { is_seat_unconfirmed: true as const }),
    ...(isUndeliverable === 1 && { is_undeliverable: true as const }),
    address: device || maskedAddress(stored.channel, stored.address),
    is_repeated: stored.is_repeated === 1,
    created_at: iso(stored.created_at),
    accepted_at: isoOrNull(stored.accepted_at),
    delivered_at: isoOrNull(stored.delivered_at),
    seen_at: isoOrNull(stored.seen_at),
  }
}

/** The sentence may be followed by another: that an earlier copy may have arrived. */
const isSeatUnconfirmed = ({ state, last_error: error }: Pick<DeliveryRow, 'state' | 'last_error'>): boolean =>
  state === 'expired' && error?.startsWith(seatUnconfirmed) === true
