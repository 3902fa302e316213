import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** `open` means that a seat is open now; what merely went well is `done`, which is no color but has a check. */
export type BadgeTone = 'neutral' | 'done' | 'open' | 'waitlisted' | 'closed' | 'unknown' | 'danger' | 'info'

/** A short word with a color. The word alone must say it. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span className={`badge tone-${tone}`}>
      {tone === 'done' && <Icon name="check" size={12} />}
      {children}
    </span>
  )
}
