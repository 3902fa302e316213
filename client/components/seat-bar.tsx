import { useState } from 'react'
import type { SectionStatus } from '../../src/class-tracker/courses/contract.ts'

interface SeatBarProps {
  status: SectionStatus
  /** Null if unknown; a negative figure from a school counts as zero. */
  seats: number | null
  capacity: number | null
}

/** Percent; a dot closer to an end than this would be cut off. */
const FIRST = 2
const LAST = 98.2

/** How much of a section is taken, in percent; null if the school does not say enough. */
export function takenShare({ seats, capacity }: Omit<SeatBarProps, 'status'>): number | null {
  if (seats === null || capacity === null || capacity <= 0) return null
  const free = Math.min(Math.max(seats, 0), capacity)
  return Math.round(((capacity - free) / capacity) * 1000) / 10
}

function Lengths({ status, share }: { status: SectionStatus; share: number | null }) {
  const edge = `${Math.min(Math.max(share ?? 100, FIRST), LAST)}%`
  if (status === 'unknown' || (status === 'open' && share === null)) {
    return <line className="seat-unknown" x1="0" x2="100%" y1="6" y2="6" />
  }
  if (status !== 'open') {
    return (
      <>
        <rect className="seat-taken" y="4.5" width="100%" height="3" rx="1.5" />
        {status === 'waitlisted' && <circle className="seat-ring" cx={`${LAST}%`} cy="6" r="4.5" />}
      </>
    )
  }
  return (
    <>
      <rect className="seat-free" y="4.5" width="100%" height="3" rx="1.5" />
      <rect className="seat-taken" y="4.5" width={edge} height="3" rx="1.5" />
      <circle className="seat-dot" cx={edge} cy="6" r="6" />
    </>
  )
}

/** Decorative. Lengths are attributes in percent, so the bar stretches and needs no style attribute. */
export function SeatBar({ status, seats, capacity }: SeatBarProps) {
  const [initial] = useState(status)
  // The dot drops into its seat only where the section was seen opening, not whenever a page is opened.
  const hasOpened = status === 'open' && initial !== 'open'
  return (
    <svg className={hasOpened ? 'seat-bar seat-opened' : 'seat-bar'} aria-hidden="true">
      <Lengths status={status} share={takenShare({ seats, capacity })} />
    </svg>
  )
}
