import type { CourseSection } from '../../../src/class-tracker/courses/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { SeatBar } from '../../components/seat-bar.tsx'
import { StatusBadge } from '../../components/status-dot.tsx'
import { instructionText, seatsText, sectionName, sectionNumbers, waitlistText } from './section-text.ts'

/** The text of the field once a section is selected. */
export const sectionText = (section: CourseSection): string =>
  [sectionName(section), sectionNumbers(section)].filter(Boolean).join(' · ')

/** The searchable text of a section. */
export const sectionSearch = (section: CourseSection): string =>
  `${sectionText(section)} ${instructionText(section.instruction_list)}`

/** A section in the list of options. */
export function SectionOption({ section, isWatched }: { section: CourseSection; isWatched: boolean }) {
  const details = [
    sectionNumbers(section),
    instructionText(section.instruction_list),
    ...(section.details ?? []).map(({ text }) => text),
  ].filter((part) => part !== '')
  return (
    <span className="section-option">
      <StatusBadge status={section.status} />
      <span>
        <span className="strong">{sectionName(section)}</span>
        <span className="muted">{details.join(' · ')}</span>
        {isWatched && <Badge tone="info">Already watched</Badge>}
      </span>
      <span className="numbers section-option-seats">
        <SeatBar status={section.status} seats={section.seats_available} capacity={section.capacity} />
        <span className={section.status === 'open' ? 'strong' : undefined}>{seatsText(section)}</span>
        <span className="muted tiny">{waitlistText(section)}</span>
      </span>
    </span>
  )
}
