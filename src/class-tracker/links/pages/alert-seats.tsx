import { Icon } from '../../../../client/components/icon.tsx'
import { SeatBar } from '../../../../client/components/seat-bar.tsx'
import { seatsLeft } from '../../../../client/islands/class-tracker/section-text.ts'
import { isCurrent } from '../../courses/observed-at.ts'
import type { LinkRow } from '../find-link.ts'
import { Age } from '../../../../client/components/age.tsx'

/** With more seats, one dot per seat is no longer readable as a plan. */
const MAX_SEATS = 240
/** Dots per row, as many as fit on a phone. */
const FEW = { seats: 36, columns: 18 }
const COLUMNS = 30
/** Fewer seats would make dots as large as coins. */
const MIN_COLUMNS = 12
const STEP = 12

/** A room with one dot per seat, the free ones last; nothing if their number does not suit a plan. Decorative. */
function SeatMap({ available, capacity }: { available: number; capacity: number }) {
  if (capacity <= 0 || available > capacity || capacity > MAX_SEATS) return null
  const rows = Math.ceil(capacity / (capacity <= FEW.seats ? FEW.columns : COLUMNS))
  // Rows of equal length, as in a room.
  const columns = Math.ceil(capacity / rows)
  const dots = Array.from({ length: capacity }, (_, seat) => ({
    x: STEP * (0.5 + (seat % columns)),
    y: STEP * (0.5 + Math.floor(seat / columns)),
    isFree: seat >= capacity - available,
  }))
  const taken = dots.filter(({ isFree }) => !isFree)
  return (
    <svg
      className="seat-map"
      viewBox={`0 0 ${STEP * Math.max(columns, MIN_COLUMNS)} ${STEP * rows}`}
      aria-hidden="true"
    >
      <path className="seat-map-taken" strokeWidth="7.2" d={taken.map(({ x, y }) => `M${x} ${y}h0`).join('')} />
      {dots
        .filter(({ isFree }) => isFree)
        .map(({ x, y }) => (
          <circle key={`${x} ${y}`} className="seat-map-free" cx={x} cy={y} r="5.2" />
        ))}
    </svg>
  )
}

/** Whether the seat was open in a recent read. */
export const isOpenNow = (row: LinkRow, now: number): boolean =>
  row.section_status === 'open' && isCurrent(row.section_observed_at, now)

const words = { open: 'Open now', waitlisted: 'Waitlist only', closed: 'Full again', unknown: 'Unknown right now' }

/** How many seats there are now, drawn as a room with one dot per seat. */
export function SeatsNow({ row, now, timeZone }: { row: LinkRow; now: number; timeZone: string }) {
  const { status, capacity } = row.section
  const left = seatsLeft(row.section)
  const available = left === null ? null : Math.max(0, left)
  const isOld = status === 'open' && !isOpenNow(row, now)
  return (
    <section className="seat-now" aria-label="Seats now">
      <div className="seat-now-head">
        <p className="seat-now-state">{isOld ? 'Open when last checked' : words[status]}</p>
        {row.section_observed_at !== null && (
          <p className="seat-now-age">
            Checked <Age at={row.section_observed_at} now={now} timeZone={timeZone} />
          </p>
        )}
      </div>
      {available !== null && (
        <p className="seat-now-left">
          {status === 'unknown' && 'Last known: '}
          <b>{available} left</b> {capacity !== null && <span className="muted">of {capacity}</span>}
        </p>
      )}
      {!isOld && status !== 'unknown' && available !== null && capacity !== null && capacity <= MAX_SEATS ? (
        <SeatMap available={available} capacity={capacity} />
      ) : (
        <SeatBar status={isOld ? 'unknown' : status} seats={available} capacity={capacity} />
      )}
    </section>
  )
}

/** The number to type at the school. The button needs the script; without it, a click selects the whole number. */
export function NumberToType({ row }: { row: LinkRow }) {
  const { number, number_label: label } = row.section
  return (
    <div className="seat-number" data-copy={number}>
      <p>
        <span className="muted">{label}</span> <b>{number}</b>
      </p>
      <button type="button" className="button button-soft" hidden aria-label={`Copy ${label} ${number}`}>
        <Icon name="copy" size={16} />
        <span aria-live="polite">Copy</span>
      </button>
    </div>
  )
}
