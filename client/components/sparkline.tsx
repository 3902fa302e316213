import type { SeatChange } from '../../src/class-tracker/courses/contract.ts'
import { seatLine, seatWords } from './seat-line.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

/** The free seats of the week up to `until` (ISO 8601). Green behind the line: it was open. */
export function Sparkline({ history, until }: { history: readonly SeatChange[]; until: string | null }) {
  const end = until ?? history.at(-1)?.at
  if (end === undefined || history.length === 0) return null
  const to = Date.parse(end)
  const { line, open } = seatLine(history, { from: to - WEEK_MS, to, width: 96, height: 18 })
  const words = `Last 7 days: ${seatWords(history)}`
  return (
    <svg className="sparkline" width="96" height="24" viewBox="0 -3 96 24" role="img" aria-label={words}>
      <title>{words}</title>
      {open.map(({ x, width }) => (
        <rect key={x} className="sparkline-open" x={x} y="-3" width={width} height="24" rx="1" />
      ))}
      <path className="sparkline-line" d={line} />
    </svg>
  )
}
