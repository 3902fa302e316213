import type { ReactNode } from 'react'

export type BadgeTone = 'neutral' | 'open' | 'waitlisted' | 'closed' | 'unknown' | 'danger' | 'info'

/** A short word with a colour. The word alone must say it. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={`badge tone-${tone}`}>{children}</span>
}
