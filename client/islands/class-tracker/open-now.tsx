import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { seatsText, sectionName, sectionNumbers } from './section-text.ts'

/** An open section, and whom on this page it is watched for. */
interface OpenSection {
  section: WatchedSection
  watchers: Recipient[]
}

/** The open sections of a page, each once, in the order they are watched. */
export function openSections(recipients: readonly Recipient[]): OpenSection[] {
  const found = new Map<number, OpenSection>()
  for (const recipient of recipients) {
    for (const section of recipient.watched_sections) {
      if (section.status !== 'open') continue
      const known = found.get(section.id)
      if (known) known.watchers.push(recipient)
      else found.set(section.id, { section, watchers: [recipient] })
    }
  }
  return [...found.values()]
}

/** More are a list of their own: each recipient's come first in its own. */
const MAX_SHOWN = 8

interface OpenNowProps {
  recipients: readonly Recipient[]
  timeZone: string
  onDetails: (recipient: Recipient, section: WatchedSection) => void
}

/** What is open now, before who watches what. */
export function OpenNow({ recipients, timeZone, onDetails }: OpenNowProps) {
  const open = openSections(recipients)
  if (open.length === 0) return null
  const more = open.length - MAX_SHOWN
  return (
    <section className="open-now" aria-labelledby="open-now">
      <h2 id="open-now">
        Open now <span className="muted numbers">{open.length}</span>
      </h2>
      <ul>
        {open.slice(0, MAX_SHOWN).map(({ section, watchers: [first, ...others] }) => (
          <li key={section.id} className="watched" data-row>
            <button
              type="button"
              className="link-button watched-name"
              title={sectionName(section)}
              onClick={() => first && onDetails(first, section)}
            >
              {sectionName(section)}
            </button>
            <p className="watched-details muted">
              {[section.school.name, sectionNumbers(section)].filter((part) => part !== '').join(' · ')}
            </p>
            <div className="watched-seats numbers">
              <SeatBar status={section.status} seats={section.seats_available} capacity={section.capacity} />
              <span className="seats-open">{seatsText(section)}</span>
            </div>
            <p className="watched-for clip">
              for <bdi>{first?.name}</bdi>
              {others.length > 0 && <span className="strong"> +{others.length}</span>}
            </p>
            <span className="watched-age muted tiny">
              {section.observed_at && <RelativeTime at={section.observed_at} timeZone={timeZone} />}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="small muted">{more} more below</p>}
    </section>
  )
}
