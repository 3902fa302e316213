import { useState } from 'react'
import type { PendingInvite } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { countText } from '../../components/count-text.ts'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { absoluteText } from '../../components/time-text.ts'
import type { Card, ReviewAct } from './review-cards.ts'
import { exploreSearch } from './explore-query.ts'
import { courseText } from './server-text.ts'

const MAX_REASON_LENGTH = 255

interface ReviewCardProps {
  card: Card
  timeZone: string
  /** The card that is being decided: its button is the one in color. */
  isFirst: boolean
  /** Whether the keys `a` and `r` decide about this card. */
  isCurrent: boolean
  onAct: (act: ReviewAct, reason: string) => void
  onNear: () => void
}

function Moment({ at, timeZone }: { at: string; timeZone: string }) {
  return <time dateTime={at}>{absoluteText(at, timeZone)}</time>
}

/** "214, 31 online"; how many are online is not always told. */
const membersText = ({ total, online }: PendingInvite['members']): string =>
  online > 0 ? `${countText(total)}, ${countText(online)} online` : countText(total)

/** "4 approved, 1 rejected" */
const recordText = ({ approved, rejected }: PendingInvite['submitter']): string =>
  approved + rejected === 0 ? 'First submission' : `${approved} approved, ${rejected} rejected`

function Facts({ invite, timeZone }: { invite: PendingInvite; timeZone: string }) {
  const { submitter, subject, courses, instructors, expires_at: expiresAt } = invite
  const classes = [
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
      <div>
        <dt className="muted">Invite</dt>
        <dd>
          <a href={invite.invite_url} target="_blank" rel="noopener noreferrer" className="out-link">
            <bdi className="address">{invite.invite_url}</bdi>
            <Icon name="out" size={16} />
            <span className="hidden-visually">(opens in a new tab)</span>
          </a>
        </dd>
      </div>
      <div>
        <dt className="muted">Members</dt>
        <dd className="numbers">{membersText(invite.members)}</dd>
      </div>
      <div>
        <dt className="muted">Their record</dt>
        <dd className="numbers">{recordText(submitter)}</dd>
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

/** Whether the course has a server already: links to those it has. */
function OthersListed({ invite: { courses, other_servers: others, subject } }: { invite: PendingInvite }) {
  if (courses.length === 0) return null
  const known = courses.map((course) => ({
    course,
    servers: others.find(({ course_id: id }) => id === course.id)?.servers ?? 0,
  }))
  const taken = known.filter(({ servers }) => servers > 0)
  if (taken.length === 0)
    return <p className="muted meta">No other server is listed for {courses.map(courseText).join(', ')}.</p>
  return (
    <p className="muted meta">
      {'Listed already: '}
      {taken.map(({ course, servers }, index) => (
        <span key={course.id}>
          {index > 0 && ', '}
          <a
            href={`/classcords/all/${exploreSearch({ schoolId: 0, subjectId: subject?.id ?? null, courseId: course.id, q: '', page: 1 }, null)}`}
          >
            {countText(servers)} for {courseText(course)}
          </a>
        </span>
      ))}
    </p>
  )
}

/** A pending invite with everything a decision needs, and its buttons. */
export function ReviewCard({ card, timeZone, isFirst, isCurrent, onAct, onNear }: ReviewCardProps) {
  const { invite, busy, decided, errors } = card
  const [reason, setReason] = useState('')
  const { id, notes_md: notes, discord_server: server } = invite
  const where = invite.school?.name ?? ''
  const isBusyElse = (act: ReviewAct) => decided !== null || (busy !== null && busy !== act)
  const isBlocked = (act: ReviewAct) => !invite.is_valid || isBusyElse(act)
  return (
    <li className={decided ? 'fold fold-away' : 'fold'} onFocus={onNear} onPointerDown={onNear}>
      <div>
        <ErrorSummary errors={errors.map((message) => ({ message }))} />
        <article
          className={isFirst ? 'card card-body stack review current' : 'card card-body stack review'}
          aria-labelledby={`invite-${id}`}
        >
          <div className="server-head">
            <ServerIcon name={server.display_name} url={server.icon_url} />
            <div>
              <h2 id={`invite-${id}`} tabIndex={-1}>
                <bdi>{server.display_name}</bdi>
              </h2>
              <p className="row">
                {where !== '' && <span className="small muted">{where}</span>}
                <Badge>
                  {server.privacy_level_info.value === 'private' && <Icon name="lock" size={12} />}
                  {server.privacy_level_info.label}
                </Badge>
                {invite.is_new_server && <Badge tone="info">New server</Badge>}
              </p>
            </div>
          </div>
          <Facts invite={invite} timeZone={timeZone} />
          {notes !== '' && <p className="notes">{notes}</p>}
          <details>
            <summary className="small">Add a reason for rejecting</summary>
            <Field id={`reason-${id}`} label="Reason" help="Optional. The submitter sees it.">
              <textarea
                id={`reason-${id}`}
                className="input"
                maxLength={MAX_REASON_LENGTH}
                value={reason}
                aria-describedby={`reason-${id}-help`}
                onChange={(event) => setReason(event.target.value)}
              />
            </Field>
          </details>
          <div className="row">
            <Button
              kind={isFirst ? 'primary' : 'plain'}
              id={`approve-${id}`}
              busy={busy === 'approve'}
              disabled={isBlocked('approve')}
              aria-keyshortcuts={isCurrent ? 'a' : undefined}
              onClick={() => onAct('approve', '')}
            >
              Approve Invite{' '}
              {isCurrent && (
                <kbd className="only-keys" aria-hidden="true">
                  a
                </kbd>
              )}
            </Button>
            <Button
              kind="plain"
              id={`reject-${id}`}
              busy={busy === 'reject'}
              disabled={isBlocked('reject')}
              aria-keyshortcuts={isCurrent ? 'r' : undefined}
              onClick={() => onAct('reject', reason.trim())}
            >
              Reject{' '}
              {isCurrent && (
                <kbd className="only-keys" aria-hidden="true">
                  r
                </kbd>
              )}
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
            <span className="push">
              <OthersListed invite={invite} />
            </span>
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
