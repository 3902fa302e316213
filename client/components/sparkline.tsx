import type { SeatChange } from '../../src/class-tracker/courses/contract.ts'
import { seatLine, describeSeats } from './seat-line.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const field = { width: 66, height: 16 }

interface SparklineProps {
  /** Oldest first. */
  history: readonly SeatChange[]
  /** ISO 8601: when the section was last read. */
  until: string | null
}

/** The free seats of the week up to `until`, if they changed: a flat line says nothing. */
export function Sparkline({ history, until }: SparklineProps) {
  const end = until ?? history.at(-1)?.at
  const isFlat = history.every(({ seats_available: seats }) => seats === history[0]?.seats_available)
  if (end === undefined || isFlat) return null
  const to = Date.parse(end)
  const { line } = seatLine(history, { from: to - WEEK_MS, to, ...field })
  const words = `Last 7 days: ${describeSeats(history)}`
  return (
    <svg className="sparkline" width="72" height="22" viewBox="-1 -3 72 22" role="img" aria-label={words}>
      <path className="sparkline-area" d={`${line}V${field.height}H${line.slice(1, line.indexOf(' '))}`} />
      <path className="sparkline-line" d={line} />
    </svg>
  )
}
