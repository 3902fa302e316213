import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { Progress } from '../../components/progress.tsx'
import type { Refresh } from './use-refresh.ts'

interface RefreshOutcomeProps<Result> {
  refresh: Refresh<Result>
  isPaused: boolean
  errorHeading: string
  successText: (result: Result) => string
  found: (result: Result) => ReactNode
}

interface RefreshButtonProps {
  refresh: Refresh<unknown>
  isReady?: boolean
  onStart: () => void
  children: string
}

export function RefreshButton({ refresh, isReady = true, onStart, children }: RefreshButtonProps) {
  return (
    <Button icon="refresh" busy={refresh.state === 'running'} disabled={!isReady} onClick={onStart}>
      {children}
    </Button>
  )
}

export function RefreshOutcome<Result>({
  refresh,
  isPaused,
  errorHeading,
  successText,
  found,
}: RefreshOutcomeProps<Result>) {
  switch (refresh.state) {
    case 'idle':
      return null
    case 'running':
      return (
        <div className="stack stack-small">
          {isPaused && (
            <MessageBox tone="warning" role="status">
              The refresh queue is paused, so this waits until someone resumes it.{' '}
              <a href="/scheduler/queues/refresh/queued/jobs">View queue</a>
            </MessageBox>
          )}
          <Progress {...refresh.progress} label={refresh.progress.label || 'Waiting for its turn'} />
          <p className="muted tiny">
            You can leave this page. The refresh continues, and its progress is here when you come back.
          </p>
        </div>
      )
    case 'failed':
      return <ErrorSummary heading={errorHeading} errors={refresh.errors} />
    case 'done':
      return (
        <div className="stack stack-small">
          <MessageBox tone="success" role="status">
            {successText(refresh.result)}
          </MessageBox>
          {found(refresh.result)}
        </div>
      )
  }
}
