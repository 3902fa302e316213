import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface SearchBoxProps {
  /** Kept while somebody looks around. */
  referral: string | null
  /** On phones at the foot of the window, in reach of a thumb. */
  isDocked?: boolean
  /** Where searching is the first thing to do. */
  hasButton?: boolean
  children?: ReactNode
}

/** One field that leads to the servers found: a plain form. */
export function SearchBox({ referral, isDocked = false, hasButton = false, children }: SearchBoxProps) {
  return (
    <form role="search" className={isDocked ? 'finder dock' : 'finder'} action="/classcords/all/">
      <label className="search-box">
        <Icon name="search" />
        <span className="hidden-visually">Search servers</span>
        <input type="search" name="q" maxLength={200} placeholder="Course, code or school" autoComplete="off" />
        {isDocked && (
          <kbd className="only-keys only-script" aria-hidden="true">
            /
          </kbd>
        )}
      </label>
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <button type="submit" className={hasButton ? 'button button-primary' : 'hidden-visually'}>
        Search
      </button>
      {children}
    </form>
  )
}
