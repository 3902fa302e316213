import { useEffect, useState } from 'react'
import { signedOutEvent } from '../api.ts'
import { logInHref } from './log-in-href.ts'
import { MessageBox } from './message-box.tsx'

/**
 * Shown after a call was refused because its session has ended. If what was typed is kept when the page is left
 * (`isKept`), the login returns to it; otherwise the login opens in another tab.
 */
export function LogInAgain({ isKept }: { isKept: boolean }) {
  const [next, setNext] = useState<string | null>(null)
  useEffect(() => {
    const show = () => setNext(location.pathname + location.search + location.hash)
    document.addEventListener(signedOutEvent, show)
    return () => document.removeEventListener(signedOutEvent, show)
  }, [])
  if (next === null) return null
  return (
    <MessageBox tone="warning" icon="warning" role="status">
      Your session has ended.{' '}
      <a href={logInHref(next, next)} {...(!isKept && { target: '_blank', rel: 'noopener' })}>
        {isKept ? 'Log in again' : 'Log in again (opens a new tab)'}
      </a>
      {isKept ? '. You come back to what you typed.' : ', then come back and try again: what you typed is still here.'}
    </MessageBox>
  )
}
