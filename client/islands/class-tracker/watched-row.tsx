import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { Button } from '../../components/button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusBadge } from '../../components/status-dot.tsx'
import { instructionText, seatsText, sectionName, sectionNumbers, waitlistText, withheldText } from './section-text.ts'

interface WatchedRowProps {
  section: WatchedSection
  timeZone: string
  isLeaving: boolean
  onDetails: () => void
  onRemove: () => void
}

/** One watched section: its name and place, its seats and status, its last week, and when it was last read. */
export function WatchedRow({ section, timeZone, isLeaving, onDetails, onRemove }: WatchedRowProps) {
  const name = sectionName(section)
  const place = [sectionNumbers(section), section.school.name, section.term.full_term_name]
  const details = [...place, instructionText(section.instruction_list)].filter((part) => part !== '').join(' · ')
  const note = withheldText(section) || waitlistText(section)
  return (
    <li className={isLeaving ? 'fold fold-away' : 'fold'}>
      <div className="watched">
        <button type="button" className="link-button watched-name" title={name} onClick={onDetails}>
          {name}
        </button>
        <p className="watched-details muted" title={details}>
          {details}
        </p>
        <div className="watched-seats numbers">
          <SeatBar status={section.status} seats={section.seats_available} capacity={section.capacity} />
          <span className={section.status === 'open' ? 'seats-open' : undefined}>{seatsText(section)}</span>
        </div>
        <div className="watched-status">
          <StatusBadge status={section.status} />
          {note && <span className="muted tiny">{note}</span>}
        </div>
        <div className="watched-line">
          <Sparkline history={section.history} until={section.observed_at} />
          <span className="muted tiny">
            {section.observed_at ? <RelativeTime at={section.observed_at} timeZone={timeZone} /> : 'not checked yet'}
          </span>
        </div>
        <div className="watched-acts">
          <Button kind="quiet" icon="trash" iconOnly onClick={onRemove}>
            {`Remove ${name}`}
          </Button>
        </div>
      </div>
    </li>
  )
}
