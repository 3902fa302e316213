import { useState } from 'react'
import type { PendingInvite } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { absoluteText } from '../../components/time-text.ts'
import type { Card, ReviewAct } from './review-cards.ts'
import { courseText } from './server-text.ts'

const reasonLimit = 255

interface ReviewCardProps {
  card: Card
  timeZone: string
  /** Whether the keys `a` and `r` decide about this card. */
  isCurrent: boolean
  onAct: (act: ReviewAct, reason: string) => void
  onNear: () => void
}

function Moment({ at, timeZone }: { at: string; timeZone: string }) {
  return <time dateTime={at}>{absoluteText(at, timeZone)}</time>
}

function Facts({ invite, timeZone }: { invite: PendingInvite; timeZone: string }) {
  const { submitter, school, subject, courses, instructors, expires_at: expiresAt } = invite
  const classes = [
    { label: 'School', text: school?.name ?? '' },
    { label: 'Subject', text: subject?.name ?? '' },
    { label: 'Courses', text: courses.map(courseText).join(', ') },
    { label: 'Instructors', text: instructors.map(({ name }) => name).join(', ') },
  ].filter(({ text }) => text !== '')
  return (
    <dl className="facts small">
      <div>
        <dt className="muted">Submitted by</dt>
        <dd className="row">
          <bdi>{submitter.display_name}</bdi>
          <Badge tone={submitter.role_info.value === 'manager' ? 'danger' : 'info'}>{submitter.role_info.label}</Badge>
        </dd>
      </div>
      <div>
        <dt className="muted">Submitted on</dt>
        <dd>
          <Moment at={invite.datetime_created} timeZone={timeZone} />
        </dd>
      </div>
      <div>
        <dt className="muted">Invite Status</dt>
        <dd>{invite.is_valid ? <Badge tone="done">Valid</Badge> : <Badge tone="danger">Invalid</Badge>}</dd>
      </div>
      {expiresAt && (
        <div>
          <dt className="muted">Expires</dt>
          <dd>
            <Moment at={expiresAt} timeZone={timeZone} />
          </dd>
        </div>
      )}
      {classes.map(({ label, text }) => (
        <div key={label}>
          <dt className="muted">{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A pending invite with everything a decision needs, and its buttons. */
export function ReviewCard({ card, timeZone, isCurrent, onAct, onNear }: ReviewCardProps) {
  const { invite, busy, decided, errors } = card
  const [reason, setReason] = useState('')
  const { id, invite_url: url, notes_md: notes, discord_server: server } = invite
  const isBusyElse = (act: ReviewAct) => decided !== null || (busy !== null && busy !== act)
  const isBlocked = (act: ReviewAct) => !invite.is_valid || isBusyElse(act)
  return (
    <li className={decided ? 'fold fold-away' : 'fold'} onFocus={onNear} onPointerDown={onNear}>
      <div>
        <ErrorSummary errors={errors.map((message) => ({ message }))} />
        <article
          className={isCurrent ? 'card card-body stack review current' : 'card card-body stack review'}
          aria-labelledby={`invite-${id}`}
        >
          <div className="server-head">
            <ServerIcon name={server.display_name} url={server.icon_url} />
            <div>
              <h2 id={`invite-${id}`} tabIndex={-1}>
                <bdi>{server.display_name}</bdi>
              </h2>
              <p className="row">
                <Badge>
                  {server.privacy_level_info.value === 'private' && <Icon name="lock" size={12} />}
                  {server.privacy_level_info.label}
                </Badge>
                {invite.is_new_server && <Badge tone="info">New server</Badge>}
              </p>
            </div>
          </div>
          <p>
            <a href={url} target="_blank" rel="noopener noreferrer" className="out-link">
              <bdi className="address">{url}</bdi>
              <Icon name="out" size={16} />
              <span className="hidden-visually">(opens in a new tab)</span>
            </a>
          </p>
          {notes !== '' && <p className="notes">{notes}</p>}
          <Facts invite={invite} timeZone={timeZone} />
          <details>
            <summary className="small">Add a reason for rejecting</summary>
            <Field id={`reason-${id}`} label="Reason" help="Optional. The submitter sees it.">
              <textarea
                id={`reason-${id}`}
                className="input"
                maxLength={reasonLimit}
                value={reason}
                aria-describedby={`reason-${id}-help`}
                onChange={(event) => setReason(event.target.value)}
              />
            </Field>
          </details>
          <div className="row">
            <Button
              kind="primary"
              id={`approve-${id}`}
              busy={busy === 'approve'}
              disabled={isBlocked('approve')}
              aria-keyshortcuts={isCurrent ? 'a' : undefined}
              onClick={() => onAct('approve', '')}
            >
              Approve Invite
            </Button>
            <Button
              kind="danger"
              id={`reject-${id}`}
              busy={busy === 'reject'}
              disabled={isBlocked('reject')}
              aria-keyshortcuts={isCurrent ? 'r' : undefined}
              onClick={() => onAct('reject', reason.trim())}
            >
              Reject
            </Button>
            {!invite.is_valid && (
              <>
                <Button
                  icon="refresh"
                  busy={busy === 'recheck'}
                  disabled={isBusyElse('recheck')}
                  onClick={() => onAct('recheck', '')}
                >
                  Check again
                </Button>
                <Button busy={busy === 'close'} disabled={isBusyElse('close')} onClick={() => onAct('close', '')}>
                  Close invite
                </Button>
              </>
            )}
          </div>
          {!invite.is_valid && (
            <p className="muted small">
              Its link does not work, so it cannot be approved. Check it again, or close it: its submitter is notified.
            </p>
          )}
        </article>
      </div>
    </li>
  )
}
