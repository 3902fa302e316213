import type { WatchedSection } from '../../../src/class-tracker/contract.ts'
import { Button } from '../../components/button.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusBadge } from '../../components/status-dot.tsx'
import { instructionText, seatsText, sectionName, sectionNumbers, waitlistText } from './section-text.ts'

interface WatchedRowProps {
  section: WatchedSection
  timeZone: string
  isLeaving: boolean
  onDetails: () => void
  onRemove: () => void
}

/** One watched section: whether it is open, its seats, its last week, and when it was last read. */
export function WatchedRow({ section, timeZone, isLeaving, onDetails, onRemove }: WatchedRowProps) {
  const name = sectionName(section)
  const details = [
    section.school.name,
    section.term.full_term_name,
    sectionNumbers(section),
    instructionText(section.instruction_list),
  ]
  const waitlist = waitlistText(section)
  return (
    <li className={isLeaving ? 'fold fold-away' : 'fold'}>
      <div className="watched">
        <div className="watched-status">
          <StatusBadge status={section.status} />
        </div>
        <div className="watched-name">
          <button type="button" className="link-button" onClick={onDetails}>
            {name}
          </button>
          <p className="muted small">{details.filter((part) => part !== '').join(' · ')}</p>
        </div>
        <div className="watched-seats numbers">
          <SeatBar status={section.status} seats={section.seats_available} capacity={section.capacity} />
          <span className={section.status === 'open' ? 'seats-open' : undefined}>{seatsText(section)}</span>
          {waitlist && <span className="muted tiny">{waitlist}</span>}
        </div>
        <div className="watched-line">
          <Sparkline history={section.history} until={section.observed_at} />
          <span className="muted tiny">
            {section.observed_at ? (
              <>
                checked <RelativeTime at={section.observed_at} timeZone={timeZone} />
              </>
            ) : (
              'not checked yet'
            )}
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
