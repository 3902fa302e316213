import type { ReactNode } from 'react'
import type { SectionStatus } from '../../src/class-tracker/courses/contract.ts'
import { Badge } from './badge.tsx'
import { statusWords } from './status-words.ts'

/** Each status has its own shape, so that color is never the only sign. */
const shapes: Record<SectionStatus, ReactNode> = {
  open: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  waitlisted: (
    <path
      d="M5 .5a4.5 4.5 0 0 1 0 9Zm0 0a4.5 4.5 0 0 0 0 9"
      fill="currentColor"
      fillOpacity="0.35"
      stroke="currentColor"
    />
  ),
  closed: <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  unknown: <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.4" strokeDasharray="2 2" />,
}

export function StatusBadge({ status }: { status: SectionStatus }) {
  return (
    <Badge tone={status}>
      <svg className="status-dot" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        {shapes[status]}
      </svg>
      {statusWords[status]}
    </Badge>
  )
}
