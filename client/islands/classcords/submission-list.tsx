import type { Submission } from '../../../src/classcords/contract.ts'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { AbsoluteTime } from '../../components/relative-time.tsx'

function queueText(position: number | null): string {
  if (position === null) return 'Waiting for review.'
  return position === 1 ? 'First in the review queue.' : `Number ${position} in the review queue.`
}

export function submissionState(submission: Submission): { label: string; tone: BadgeTone; text: string } {
  const { state, is_valid: isValid, queue_position: position, reason, discord_server: server } = submission
  switch (state) {
    case 'pending':
      return { label: 'Pending', tone: 'info', text: queueText(position) }
    case 'approved':
      if (!server.is_active)
        return { label: 'Approved, removed', tone: 'waitlisted', text: 'Not listed: a manager removed the server.' }
      return isValid
        ? { label: 'Approved', tone: 'done', text: 'Listed in the directory.' }
        : { label: 'Approved, invalid', tone: 'waitlisted', text: 'Not listed: its link no longer works.' }
    case 'rejected':
      return {
        label: 'Rejected',
        tone: 'danger',
        text: reason === '' ? 'A manager rejected it without giving a reason.' : `Reason: ${reason}`,
      }
    case 'expired':
      return {
        label: 'Expired',
        tone: 'closed',
        text: 'Its link stopped working. Submit one that works.',
      }
  }
}

interface SubmissionListProps {
  submissions: readonly Submission[]
  timeZone: string
  /** Managers may undo decisions, including those about their own submissions. */
  canUndo: boolean
  /** The id of the one that is being withdrawn or made pending again. */
  busy: number | null
  onUndo: (submission: Submission) => void
  onResubmit: (submission: Submission) => void
  onEdit: (submission: Submission) => void
  onWithdraw: (submission: Submission) => void
}

export function SubmissionList(props: SubmissionListProps) {
  const { submissions, timeZone, canUndo, busy, onUndo, onResubmit, onEdit, onWithdraw } = props
  if (submissions.length === 0) {
    return (
      <EmptyState small title="You haven't submitted any invites yet.">
        <a href="/classcords/">Add one from the welcome page</a>
      </EmptyState>
    )
  }
  return (
    <ul>
      {submissions.map((submission) => {
        const { id, invite_url: url, datetime_created: created, discord_server: server } = submission
        const { label, tone, text } = submissionState(submission)
        return (
          <li key={id} className="submission">
            <ServerIcon name={server.display_name} url={server.icon_url} />
            <div className="stack stack-small grow">
              <div className="row">
                <h3>
                  <bdi>{server.display_name}</bdi>
                </h3>
                <Badge tone={tone}>{label}</Badge>
              </div>
              <p className="small">{text}</p>
              <p className="muted tiny">
                <bdi className="address">{url}</bdi>
                <AbsoluteTime at={created} timeZone={timeZone} />
              </p>
            </div>
            {submission.can_resubmit && (
              <Button icon="refresh" onClick={() => onResubmit(submission)}>
                Submit again
                <span className="hidden-visually"> {server.display_name}</span>
              </Button>
            )}
            {submission.state === 'pending' && (
              <>
                <Button onClick={() => onEdit(submission)}>
                  Edit
                  <span className="hidden-visually"> the invite to {server.display_name}</span>
                </Button>
                <Button busy={busy === id} onClick={() => onWithdraw(submission)}>
                  Withdraw
                  <span className="hidden-visually"> the invite to {server.display_name}</span>
                </Button>
              </>
            )}
            {canUndo && (submission.state === 'approved' || submission.state === 'rejected') && (
              <Button busy={busy === id} onClick={() => onUndo(submission)}>
                Undo decision
                <span className="hidden-visually"> about {server.display_name}</span>
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
