import type { SeatChange } from '../../src/class-tracker/courses/contract.ts'
import { rounded } from './rounded.ts'

interface Frame {
  /** ms since epoch */
  from: number
  to: number
  width: number
  height: number
}

interface Step {
  start: number
  end: number
  seats: number | null
  isOpen: boolean
}

/** The changes as periods inside the frame. What was before the first change is not known. */
function stepsOf(history: readonly SeatChange[], { from, to }: Frame): Step[] {
  const steps: Step[] = []
  history.forEach((change, index) => {
    const next = history[index + 1]
    const start = Math.max(Date.parse(change.at), from)
    const end = Math.min(next ? Date.parse(next.at) : to, to)
    if (end < start) return
    const seats = change.seats_available === null ? null : Math.max(change.seats_available, 0)
    steps.push({ start, end, seats, isOpen: change.status === 'open' })
  })
  return steps
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

/** The week up to `until`, or up to the last change, in ms since epoch; null without either. */
export function weekUntil(until: string | null, history: readonly SeatChange[]) {
  const end = until ?? history.at(-1)?.at
  if (end === undefined) return null
  const to = Date.parse(end)
  return { from: to - WEEK_MS, to }
}

/** A stepped line (the `d` of a path, with gaps where nothing was known) of a history, oldest change first. */
export function seatLine(history: readonly SeatChange[], frame: Frame) {
  const steps = stepsOf(history, frame)
  const top = Math.max(1, ...steps.map(({ seats }) => seats ?? 0))
  const length = Math.max(1, frame.to - frame.from)
  const xOf = (moment: number) => rounded(((moment - frame.from) / length) * frame.width)
  const yOf = (seats: number) => rounded(frame.height - (seats / top) * frame.height)

  let line = ''
  let drawing = false
  for (const { start, end, seats } of steps) {
    if (seats === null) {
      drawing = false
      continue
    }
    line += `${drawing ? `V${yOf(seats)}` : `M${xOf(start)} ${yOf(seats)}`}H${xOf(end)}`
    drawing = true
  }
  const open = steps
    .filter(({ isOpen }) => isOpen)
    .map(({ start, end }) => ({ x: xOf(start), width: rounded(Math.max(xOf(end) - xOf(start), 1)) }))
  return { line, open, top }
}

/** A description in words, for people who cannot see the line. */
export function describeSeats(history: readonly SeatChange[]): string {
  const known = history.flatMap(({ seats_available: seats }) => (seats === null ? [] : [Math.max(seats, 0)]))
  const last = known.at(-1)
  if (last === undefined) return 'No seat history yet'
  const openings = history.filter(
    ({ status }, index) => status === 'open' && history[index - 1]?.status !== 'open',
  ).length
  const times = openings === 1 ? 'once' : `${openings} times`
  const opened = openings === 0 ? 'never open' : `open ${times}`
  return `Seats between ${Math.min(...known)} and ${Math.max(...known)}, ${opened}, now ${last}`
}
