import type { Liveness } from '../use-live-page.ts'
import { Badge } from './badge.tsx'
import { useNow } from './use-now.ts'

/** Whether what the page shows is still renewed by itself. Before a script runs it is not, and nothing is said. */
export function LiveMark({ liveness, logIn }: { liveness: Liveness; logIn: string }) {
  const isRunning = useNow() !== null
  if (liveness === 'signed-out') {
    return (
      <p className="small" role="status">
        <Badge tone="danger">Signed out</Badge> <a href={logIn}>Log in again</a> to go on.
      </p>
    )
  }
  return (
    <p className={isRunning ? 'small' : 'small unseen'} role="status">
      {liveness === 'live' ? <Badge tone="open">Live</Badge> : <Badge tone="waitlisted">Reconnecting…</Badge>}
    </p>
  )
}
