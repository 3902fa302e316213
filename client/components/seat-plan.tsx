/** With more seats, one dot per seat is no longer readable as a plan. */
export const MAX_SEATS = 240
/** Dots per row, as many as fit on a phone. */
const FEW = { seats: 36, columns: 18 }
const COLUMNS = 30
/** Fewer seats would make dots as large as coins. */
const MIN_COLUMNS = 12
const STEP = 12

interface Seats {
  available: number
  capacity: number
}

/**
 * A room with one dot per seat, the free ones last; nothing if the number of seats does not suit a plan. Decorative:
 * the figure beside it says the same.
 */
export function SeatPlan({ available, capacity }: Seats) {
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
      className="seat-plan"
      viewBox={`0 0 ${STEP * Math.max(columns, MIN_COLUMNS)} ${STEP * rows}`}
      aria-hidden="true"
    >
      <path className="seat-plan-taken" strokeWidth="7.2" d={taken.map(({ x, y }) => `M${x} ${y}h0`).join('')} />
      {dots
        .filter(({ isFree }) => isFree)
        .map(({ x, y }) => (
          <circle key={`${x} ${y}`} className="seat-plan-free" cx={x} cy={y} r="5.2" />
        ))}
    </svg>
  )
}
