import type { ReactNode } from 'react'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { LeadingFigure } from '../../components/leading-figure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { MoreButton } from '../../components/row-menu.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { statusWords } from '../../components/status-words.ts'
import {
  instructionText,
  numberText,
  pastSeatsText,
  seatsLeft,
  seatsText,
  sectionCode,
  sectionName,
  sectionTitle,
  statusNow,
  waitlistText,
  withheldText,
} from './section-text.ts'
import type { SeatChange } from '../../../src/class-tracker/courses/contract.ts'
import { seatLine, describeSeats, weekUntil } from '../../components/seat-line.ts'

const field = { width: 66, height: 16 }

/** The free seats of the week up to `until`, if they changed: a flat line says nothing. */
function Sparkline({ history, until }: { history: readonly SeatChange[]; until: string | null }) {
  const shown = weekUntil(until, history)
  const isFlat = history.every(({ seats_available: seats }) => seats === history[0]?.seats_available)
  if (shown === null || isFlat) return null
  const { line } = seatLine(history, { ...shown, ...field })
  const words = `Last 7 days: ${describeSeats(history)}`
  return (
    <svg className="sparkline" width="72" height="22" viewBox="-1 -3 72 22" role="img" aria-label={words}>
      <path className="sparkline-area" d={`${line}V${field.height}H${line.slice(1, line.indexOf(' '))}`} />
      <path className="sparkline-line" d={line} />
    </svg>
  )
}

/** The id of the menu that all rows share. */
export const SECTION_MENU = 'section-menu'

export function WatchedHead() {
  return (
    <div className="watched watched-head" aria-hidden="true">
      {['Section', 'School', 'Number', 'Seats'].map((name) => (
        <span key={name}>{name}</span>
      ))}
      <span className="watched-status">
        <span>Status</span>
        <span>Waiting</span>
      </span>
      <span>7 days</span>
      <span>Checked</span>
    </div>
  )
}

/** "3 left of 120", "was 3 of 120". */
function readSeatsText(section: WatchedSection): string {
  const text = seatsText(section)
  return section.is_old && section.seats_available !== null ? pastSeatsText(text) : text
}

interface WatchedRowProps {
  section: WatchedSection
  timeZone: string
  /** Shown beside the status; default: its waitlist, or why its seats are not free for everyone. */
  note?: ReactNode
  onDetails: () => void
  /** Tells the menu, as it opens, which row it is about. */
  onMenu: () => void
}

/** One section: what distinguishes it, its place, seats and status, its last week, and when it was last read. */
export function WatchedRow({ section, timeZone, note, onDetails, onMenu }: WatchedRowProps) {
  const code = sectionCode(section)
  const status = statusNow(section)
  const about = [sectionName(section), section.term.full_term_name, instructionText(section.instruction_list)]
  return (
    <div className="watched" data-row>
      <button
        type="button"
        className="link-button clip"
        title={about.filter((part) => part !== '').join(' · ')}
        onClick={onDetails}
      >
        {code} <span>{sectionTitle(section)}</span>
      </button>
      <span className="watched-school clip muted" title={section.school.name}>
        {section.school.name}
      </span>
      <span className="watched-number clip muted">{numberText(section)}</span>
      <span className="watched-seats">
        <SeatBar status={status} seats={seatsLeft(section)} capacity={section.capacity} />
        <span className={section.is_old ? 'muted' : undefined}>
          {status === 'open' ? <LeadingFigure text={seatsText(section)} /> : readSeatsText(section)}
        </span>
      </span>
      <span className="watched-status">
        <span className={`tone-${status}`}>{statusWords[status]}</span>
        <span className="clip muted tiny">
          {note ?? (section.is_old ? `was ${section.status}` : withheldText(section) || waitlistText(section))}
        </span>
      </span>
      <span className="watched-line">
        <Sparkline history={section.history} until={section.observed_at} />
      </span>
      <span className={section.is_old ? 'watched-age watched-late' : 'watched-age muted'}>
        {section.observed_at ? <RelativeTime at={section.observed_at} timeZone={timeZone} /> : 'not yet'}
      </span>
      <MoreButton menu={SECTION_MENU} label={`More about ${code}`} onClick={onMenu} />
    </div>
  )
}
