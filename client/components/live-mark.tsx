import type { Liveness } from '../use-live-page.ts'
import { Badge, type BadgeTone } from './badge.tsx'
import { logInHref } from './log-in-href.ts'
import { useHydrated } from './use-hydrated.ts'

const words: Record<'live' | 'late' | 'polling' | 'gone' | 'paused', { tone: BadgeTone; word: string; title: string }> =
  {
    live: { tone: 'done', word: 'Live', title: 'This page updates automatically.' },
    polling: { tone: 'info', word: 'Every 5 s', title: 'No live connection: checking every 5 seconds.' },
    gone: { tone: 'neutral', word: 'Gone', title: 'This no longer exists.' },
    paused: { tone: 'waitlisted', word: 'Paused', title: 'A queue behind this page is paused.' },
    late: { tone: 'waitlisted', word: 'Reconnecting…', title: 'No response. This page may be out of date.' },
  }

interface LiveMarkProps {
  liveness: Liveness
  isPaused?: boolean
  /** The page, to which logging in again leads. */
  path: string
}

/** Shows whether the page still updates. It does not before a script runs, so the mark is hidden until then. */
export function LiveMark({ liveness, isPaused = false, path }: LiveMarkProps) {
  const isHydrated = useHydrated()
  if (liveness === 'logged-out') {
    return (
      <p className="small" role="status">
        <Badge tone="danger">Logged out</Badge> <a href={logInHref(path, path)}>Log in again</a> to continue.
      </p>
    )
  }
  const { tone, word, title } = words[isPaused && liveness === 'live' ? 'paused' : liveness]
  return (
    <p className={isHydrated ? 'small' : 'small unseen'} role="status" title={title}>
      <Badge tone={tone}>{word}</Badge>
    </p>
  )
}
