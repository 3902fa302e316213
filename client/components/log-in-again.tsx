import { useEffect, useState } from 'react'
import { signedOutEvent } from '../api.ts'
import { Icon } from './icon.tsx'
import { logInHref } from './log-in-href.ts'

/**
 * Shown after a call was refused because its session has ended. @param isKept what was typed is kept when the page is
 * left, and the login returns to it; otherwise it stays in this tab, and the login opens in another
 */
export function LogInAgain({ isKept }: { isKept: boolean }) {
  const [next, setNext] = useState<string | null>(null)
  useEffect(() => {
    const tell = () => setNext(location.pathname + location.search + location.hash)
    document.addEventListener(signedOutEvent, tell)
    return () => document.removeEventListener(signedOutEvent, tell)
  }, [])
  if (next === null) return null
  return (
    <p className="message message-warning" role="status">
      <Icon name="warning" size={16} />
      <span className="message-text">
        Your session has ended.{' '}
        <a href={logInHref(next, next)} {...(!isKept && { target: '_blank', rel: 'noopener' })}>
          {isKept ? 'Log in again' : 'Log in again (opens a new tab)'}
        </a>
        {isKept
          ? '. You come back to what you typed.'
          : ', then come back and try again: what you typed is still here.'}
      </span>
    </p>
  )
}
