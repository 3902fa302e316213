import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** `open` means that a seat is open now; a success is `done`, which has a check and no color. */
export type BadgeTone = 'neutral' | 'done' | 'open' | 'waitlisted' | 'closed' | 'unknown' | 'danger' | 'info'

/** A short word with a color. The word must be clear without the color. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span className={`badge tone-${tone}`}>
      {tone === 'done' && <Icon name="check" size={12} />}
      {children}
    </span>
  )
}
