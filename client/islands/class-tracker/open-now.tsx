import type { Recipient } from '../../../src/class-tracker/recipients/contract.ts'
import type { WatchedSection } from '../../../src/class-tracker/watches/contract.ts'
import type { ChosenRow } from './section-menu.tsx'
import { statusNow } from './section-text.ts'
import { WatchedRow } from './watched-row.tsx'

interface OpenSection {
  section: WatchedSection
  watchers: Recipient[]
}

/** When it opened; '' if its history does not say. */
const openedAt = ({ history }: WatchedSection): string =>
  history.findLast(({ status }, place) => status === 'open' && history[place - 1]?.status !== 'open')?.at ?? ''

/** The open sections of a page, each once, those that opened last first. */
export function openSections(recipients: readonly Recipient[]): OpenSection[] {
  const found = new Map<number, OpenSection>()
  for (const recipient of recipients) {
    for (const section of recipient.watched_sections) {
      if (statusNow(section) !== 'open') continue
      const known = found.get(section.id)
      if (known) known.watchers.push(recipient)
      else found.set(section.id, { section, watchers: [recipient] })
    }
  }
  return [...found.values()].toSorted((one, other) => openedAt(other.section).localeCompare(openedAt(one.section)))
}

/** With more, the list would be too long here; each recipient's open sections also come first in their own list. */
const MAX_SHOWN = 8

interface OpenNowProps {
  recipients: readonly Recipient[]
  timeZone: string
  onDetails: (recipient: Recipient, section: WatchedSection) => void
  onMenu: (row: ChosenRow) => void
}

/** What is open now and who waits for it, shown above the recipients. */
export function OpenNow({ recipients, timeZone, onDetails, onMenu }: OpenNowProps) {
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
          <li key={section.id}>
            {first && (
              <WatchedRow
                section={section}
                timeZone={timeZone}
                note={
                  <>
                    for <bdi>{first.name}</bdi>
                    {others.length > 0 && ` +${others.length}`}
                  </>
                }
                onDetails={() => onDetails(first, section)}
                onMenu={() => onMenu({ recipient: first, section, isForAll: true })}
              />
            )}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="small muted">{more} more below</p>}
    </section>
  )
}
