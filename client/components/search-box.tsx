import { Icon } from './icon.tsx'

interface SearchBoxProps {
  /** The referral code to keep while someone browses. */
  referral: string | null
  /** Says that a key leads to it. */
  hasKey?: boolean
  /** Whether searching is the main action of the page. */
  hasButton?: boolean
}

/** One field that leads to the matching servers: a plain form. */
export function SearchBox({ referral, hasKey = false, hasButton = false }: SearchBoxProps) {
  return (
    <form role="search" className="finder" action="/classcords/all/">
      <label className="search-box">
        <Icon name="search" />
        <span className="hidden-visually">Search servers</span>
        <input type="search" name="q" maxLength={100} placeholder="Course, code or server" autoComplete="off" />
        {hasKey && (
          <kbd className="only-keys only-script" aria-hidden="true">
            /
          </kbd>
        )}
      </label>
      {referral !== null && <input type="hidden" name="referral" value={referral} />}
      <button type="submit" className={hasButton ? 'button button-primary' : 'hidden-visually'}>
        Search
      </button>
    </form>
  )
}
