import { useEffect, useState } from 'react'
import type { GetSeatHistory, SeatChange } from '../../../src/class-tracker/courses/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Facts } from '../../components/facts.tsx'
import { LinkButton } from '../../components/button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { StatusBadge } from '../../components/status-dot.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { absoluteText, shortDayText } from '../../components/time-text.ts'
import { calls } from './calls.ts'
import { seatsLeft, seatsText, sectionName, sectionNumbers, waitlistText } from './section-text.ts'
import { Chart } from '../../components/chart.tsx'
import { seatLine, describeSeats, weekUntil } from '../../components/seat-line.ts'

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
function SeatChart({ history, until, timeZone }: SeatChartProps) {
  const shown = weekUntil(until, history)
  if (shown === null || history.length === 0) return <p className="muted small">No seat history yet.</p>
  const { line, open, top } = seatLine(history, { ...shown, ...field })
  return (
    <Chart
      field={field}
      label={describeSeats(history)}
      top={top}
      times={week.map((passed) => shortDayText(shown.from + passed * DAY_MS, timeZone))}
    >
      {open.map(({ x, width }, index) => (
        <rect key={index} className="sparkline-open" x={x} y="0" width={width} height={field.height} />
      ))}
      <path className="sparkline-line" d={line} />
    </Chart>
  )
}

const MAX_CHANGES = 50

function ChangeTable({ history, timeZone }: { history: readonly SeatChange[]; timeZone: string }) {
  return (
    <DataTable
      className="table-plain"
      caption="What changed, newest first"
      columns={[
        { label: 'When', cell: ({ at }) => absoluteText(at, timeZone) },
        { label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
        { label: 'Seats', cell: seatsText },
        { label: 'Waitlist places', cell: ({ waitlist_available: places }) => places ?? '–' },
      ]}
      rows={history.toReversed().slice(0, MAX_CHANGES)}
      keyOf={({ at }) => at}
    />
  )
}

function factsOf(section: WatchedSection, details: GetSeatHistory['details'], timeZone: string) {
  const { status, capacity, waitlist_available: places, observed_at: at } = section
  return [
    ['Status', <StatusBadge key="status" status={status} />],
    [
      'Seats',
      <span key="seats" className="watched-seats">
        <SeatBar status={status} seats={seatsLeft(section)} capacity={capacity} />
        {seatsText(section)}
      </span>,
    ],
    ...(waitlistText(section) ? [['Waitlist places', places] as const] : []),
    ['Checked', at ? <RelativeTime key="checked" at={at} timeZone={timeZone} /> : 'not yet'],
    ...details.map(({ label, text }) => [label, text] as const),
  ] as const
}

function InstructionList({ section }: { section: WatchedSection }) {
  return (
    <ul className="small">
      {section.instruction_list.map(({ name, days_times: times }, index) => (
        <li key={index}>
          <span className="strong">{name || 'Instructor not named'}</span> <span className="muted">{times}</span>
        </li>
      ))}
    </ul>
  )
}

interface SectionDetailsProps {
  section: WatchedSection
  timeZone: string
  onClose: () => void
}

export function SectionDetails({ section, timeZone, onClose }: SectionDetailsProps) {
  const [{ history, details }, setKnown] = useState<GetSeatHistory>({ history: section.history, details: [] })
  const newest = section.history.at(-1)?.at

  // A list with very many sections has only a few points for each; those are shown until the whole week has loaded.
  useEffect(() => {
    const controller = new AbortController()
    calls.getSeatHistory(section.id, controller.signal).then(setKnown, () => undefined)
    return () => controller.abort()
  }, [section.id, newest])

  return (
    <Dialog
      title={sectionName(section)}
      description={[section.school.name, section.term.full_term_name, sectionNumbers(section)]
        .filter(Boolean)
        .join(' · ')}
      size="large"
      isText
      onClose={onClose}
      footer={
        section.link && (
          <LinkButton href={section.link} target="_blank" rel="noreferrer" icon="out">
            View on school site
          </LinkButton>
        )
      }
    >
      <Facts facts={factsOf(section, details, timeZone)} />
      {section.instruction_list.length > 0 && <InstructionList section={section} />}
      <figure className="stack stack-small">
        <figcaption className="label">Free seats, last 7 days</figcaption>
        <SeatChart history={history} until={section.observed_at} timeZone={timeZone} />
      </figure>
      <ChangeTable history={history} timeZone={timeZone} />
    </Dialog>
  )
}
