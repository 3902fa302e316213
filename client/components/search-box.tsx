import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface SearchBoxProps {
  /** The referral code to keep while somebody browses. */
  referral: string | null
  /** On phones, fixed to the bottom of the window, in reach of a thumb. */
  isDocked?: boolean
  /** Whether searching is the main action of the page. */
  hasButton?: boolean
  children?: ReactNode
}

/** One field that leads to the matching servers: a plain form. */
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
