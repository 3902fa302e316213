import type { Cutoffs } from './keep-days.ts'

/** A kind of row that grows without an end, and which of its rows may be deleted. SQL names the row `r`. */
export interface Deletable {
  /** As `monthly_total` calls it. */
  what: 'alert' | 'delivery' | 'opening' | 'seat_change'
  table: string
  /** The column with the moment it was written, ms since epoch. Rows are numbered in the order of it. */
  at: string
  age: keyof Cutoffs
  /** What an old row must also be. `?2` is the cutoff. */
  where: string
  channel: string
  state: string
}

/** States of a delivery that nothing changes any more but a person's Retry. A state that is not here is kept. */
const endStates = ['sent', 'delivered', 'opened', 'failed', 'gone', 'expired', 'not_needed', 'canceled', 'no_contact']
  .map((state) => `'${state}'`)
  .join(', ')

/** A reminder hangs on the latest alert of each living watch. */
const isLatestOfWatch = `EXISTS (SELECT 1 FROM watch w WHERE w.section_id = r.section_id AND w.recipient_id = r.recipient_id
    AND w.archived_at IS NULL)
  AND r.opening_id = (SELECT max(b.opening_id) FROM class_alert b
    WHERE b.section_id = r.section_id AND b.recipient_id = r.recipient_id)`

const isLatestOpening = (opening: string): string =>
  `EXISTS (SELECT 1 FROM section s WHERE s.id = r.section_id AND s.watch_count > 0)
  AND ${opening} = (SELECT o.id FROM opening o WHERE o.section_id = r.section_id ORDER BY o.version DESC LIMIT 1)`

/** In this order: a delivery goes once its alerts are gone, an opening likewise. */
export const deletables: readonly Deletable[] = [
  {
    what: 'alert',
    table: 'class_alert',
    at: 'created_at',
    age: 'alerts',
    where: `(r.poll_id IS NOT NULL OR r.canceled_at IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM delivery_alert l JOIN delivery d ON d.id = l.delivery_id
        WHERE l.alert_id = r.id AND d.state NOT IN (${endStates}))
      AND NOT (${isLatestOfWatch}) AND NOT (${isLatestOpening('r.opening_id')})`,
    channel: `''`,
    state: 'r.kind',
  },
  {
    what: 'delivery',
    table: 'delivery',
    at: 'created_at',
    age: 'alerts',
    where: `r.state IN (${endStates}) AND NOT EXISTS (SELECT 1 FROM delivery_alert l WHERE l.delivery_id = r.id)`,
    channel: 'r.channel',
    state: 'r.state',
  },
  {
    what: 'opening',
    table: 'opening',
    at: 'seen_open_at',
    age: 'alerts',
    where: `NOT EXISTS (SELECT 1 FROM class_alert a WHERE a.opening_id = r.id) AND NOT (${isLatestOpening('r.id')})`,
    channel: `''`,
    state: `''`,
  },
  {
    what: 'seat_change',
    table: 'seat_change',
    at: 'at',
    age: 'seat_changes',
    // The state at the cutoff is kept: lines are drawn from it.
    where: `EXISTS (SELECT 1 FROM seat_change n WHERE n.section_id = r.section_id AND n.at < ?2 AND (n.at, n.id) > (r.at, r.id))`,
    channel: `''`,
    state: 'r.status',
  },
]
