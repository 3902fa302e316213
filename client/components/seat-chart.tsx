import type { SeatChange } from '../../src/class-tracker/courses/contract.ts'
import { Chart } from './chart.tsx'
import { seatLine, describeSeats } from './seat-line.ts'
import { shortDayText } from './time-text.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const week = [0, 1, 2, 3, 4, 5, 6, 7]
const field = { width: 700, height: 140 }

interface SeatChartProps {
  history: readonly SeatChange[]
  /** The right edge, ISO 8601: when the section was last read. */
  until: string | null
  timeZone: string
}

/** The free seats over the last week, with labeled days. Times when the section was open are green behind the line. */
export function SeatChart({ history, until, timeZone }: SeatChartProps) {
  const end = until ?? history.at(-1)?.at
  if (end === undefined || history.length === 0) return <p className="muted small">No seat history yet.</p>
  const to = Date.parse(end)
  const from = to - 7 * DAY_MS
  const { line, open, top } = seatLine(history, { from, to, ...field })
  return (
    <Chart
      field={field}
      label={describeSeats(history)}
      top={top}
      times={week.map((passed) => shortDayText(from + passed * DAY_MS, timeZone))}
    >
      {open.map(({ x, width }, index) => (
        <rect key={index} className="sparkline-open" x={x} y="0" width={width} height={field.height} />
      ))}
      <path className="sparkline-line" d={line} />
    </Chart>
  )
}
