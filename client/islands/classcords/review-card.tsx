import { useState, type ReactNode } from 'react'
import type { PendingInvite } from '../../../src/classcords/contract.ts'
import { MAX_REJECTION_LENGTH } from '../../../src/classcords/invites/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { countText } from '../../components/count-text.ts'
import { Button } from '../../components/button.tsx'
import { ErrorSummary } from '../../components/error-summary.tsx'
import { Facts } from '../../components/facts.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { AbsoluteTime } from '../../components/relative-time.tsx'
import { privacyChangeText } from '../../components/privacy-change.ts'
import type { Card, ReviewAct } from './review-cards.ts'
import { exploreSearch } from './explore-query.ts'
import { courseText, subjectIdOf } from './server-text.ts'

interface ReviewCardProps {
  card: Card
  timeZone: string
  /** Whether this card is the current one, whose button is in color. */
  isFirst: boolean
  /** Whether the keys `a` and `r` apply to this card. */
  isCurrent: boolean
  onAct: (act: ReviewAct, reason: string) => void
  onDismiss: () => void
  onNear: () => void
}

/** "214 · 31 online"; the number online is not always known. */
const membersText = ({ total, online }: PendingInvite['members']): string =>
  online > 0 ? `${countText(total)} · ${countText(online)} online` : countText(total)

const recordText = ({ approved, rejected }: PendingInvite['submitter']): string =>
  approved + rejected === 0 ? 'First submission' : `${approved} approved, ${rejected} rejected`

function factsOf(invite: PendingInvite, timeZone: string): [name: string, value: ReactNode][] {
  const { submitter, subject, courses, instructors, expires_at: expiresAt } = invite
  const classes = [
    ['Subject', subject?.name ?? ''],
    ['Courses', courses.map(courseText).join(', ')],
    ['Instructors', instructors.map(({ name }) => name).join(', ')],
  ] as const
  return [
    [
      'Submitted by',
      <span key="submitter" className="row">
        <bdi>{submitter.display_name}</bdi>
        <Badge tone={submitter.role_info.value === 'manager' ? 'danger' : 'info'}>{submitter.role_info.label}</Badge>
      </span>,
    ],
    ['Submitted on', <AbsoluteTime key="submitted" at={invite.datetime_created} timeZone={timeZone} />],
    [
      'Invite Status',
      <Badge key="status" tone={invite.is_valid ? 'done' : 'danger'}>
        {invite.is_valid ? 'Valid' : 'Invalid'}
      </Badge>,
    ],
    [
      'Invite',
      <a key="invite" href={invite.invite_url} target="_blank" rel="noopener noreferrer" className="out-link">
        <bdi className="address">{invite.invite_url}</bdi>
        <Icon name="out" size={16} />
        <span className="hidden-visually">(opens in a new tab)</span>
      </a>,
    ],
    ['Members', membersText(invite.members)],
    ['Submitter’s history', recordText(submitter)],
    ...(expiresAt
      ? [['Expires', <AbsoluteTime key="expires" at={expiresAt} timeZone={timeZone} />] as [string, ReactNode]]
      : []),
    ...classes.filter(([, text]) => text !== '').map(([name, text]): [string, ReactNode] => [name, text]),
  ]
}

/** Whether the course already has servers, with links to them. */
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
      {'Already listed: '}
      {taken.map(({ course, servers }, index) => (
        <span key={course.id}>
          {index > 0 && ', '}
          <a
            href={`/classcords/all/${exploreSearch({ schoolId: 0, subjectId: subjectIdOf(course, subject ? [subject] : []), courseId: course.id, q: '', page: 1 }, null)}`}
          >
            {countText(servers)} for {courseText(course)}
          </a>
        </span>
      ))}
    </p>
  )
}

function ReviewHead({
  invite: { id, discord_server: server, school, is_new_server: isNew },
}: {
  invite: PendingInvite
}) {
  return (
    <div className="server-head">
      <ServerIcon name={server.display_name} url={server.icon_url} />
      <div>
        <h2 id={`invite-${id}`} tabIndex={-1}>
          <bdi>{server.display_name}</bdi>
        </h2>
        <p className="row">
          {school && <span className="small muted">{school.name}</span>}
          <Badge>
            {server.privacy_level_info.value === 'private' && <Icon name="lock" size={12} />}
            {server.privacy_level_info.label}
          </Badge>
          {isNew && <Badge tone="info">New server</Badge>}
        </p>
      </div>
    </div>
  )
}

interface DecisionButtonProps {
  id: string
  label: string
  /** The key that presses it while its card is the current one. */
  keyHint: string | null
  isPrimary?: boolean
  busy: boolean
  disabled: boolean
  onClick: () => void
}

function DecisionButton({ label, keyHint, isPrimary = false, ...button }: DecisionButtonProps) {
  return (
    <Button kind={isPrimary ? 'primary' : 'plain'} aria-keyshortcuts={keyHint ?? undefined} {...button}>
      {label}{' '}
      {keyHint !== null && (
        <kbd className="only-keys" aria-hidden="true">
          {keyHint}
        </kbd>
      )}
    </Button>
  )
}

function Decisions({
  card: { invite, busy, decided },
  isFirst,
  isCurrent,
  onAct,
  reason,
}: Pick<ReviewCardProps, 'card' | 'isFirst' | 'isCurrent' | 'onAct'> & { reason: string }) {
  const { id } = invite
  const isBusyElse = (act: ReviewAct) => decided !== null || (busy !== null && busy !== act)
  const isBlocked = (act: ReviewAct) => !invite.is_valid || isBusyElse(act)
  return (
    <>
      <DecisionButton
        id={`approve-${id}`}
        label="Approve Invite"
        keyHint={isCurrent ? 'a' : null}
        isPrimary={isFirst}
        busy={busy === 'approve'}
        disabled={isBlocked('approve')}
        onClick={() => onAct('approve', '')}
      />
      <DecisionButton
        id={`reject-${id}`}
        label="Reject"
        keyHint={isCurrent ? 'r' : null}
        busy={busy === 'reject'}
        disabled={isBlocked('reject')}
        onClick={() => onAct('reject', reason.trim())}
      />
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
    </>
  )
}

export function ReviewCard({ card, timeZone, onDismiss, onNear, ...decisions }: ReviewCardProps) {
  const { invite, decided, isCollapsing, errors } = card
  const [reason, setReason] = useState(card.reason)
  const { id, notes_md: notes, discord_server: server } = invite
  const isGone = decided === 'elsewhere'
  return (
    <li className={isCollapsing ? 'fold fold-away' : 'fold'} onFocus={onNear} onPointerDown={onNear}>
      <div>
        <ErrorSummary errors={errors} focus={isGone || !invite.is_valid} />
        <article
          className={decisions.isFirst ? 'card card-body stack review current' : 'card card-body stack review'}
          aria-labelledby={`invite-${id}`}
        >
          <ReviewHead invite={invite} />
          <Facts facts={factsOf(invite, timeZone)} />
          {notes !== '' && <p className="notes">{notes}</p>}
          {/* A reason that was typed in vain can still be copied. */}
          {(!isGone || reason !== '') && (
            <details open={card.reason !== ''}>
              <summary className="small">Add a reason for rejecting</summary>
              <Field id={`reason-${id}`} label="Reason" help="Optional. The submitter sees it.">
                <textarea
                  id={`reason-${id}`}
                  className="input"
                  maxLength={MAX_REJECTION_LENGTH}
                  value={reason}
                  aria-describedby={`reason-${id}-help`}
                  onChange={(event) => setReason(event.target.value)}
                />
              </Field>
            </details>
          )}
          <div className="row">
            {isGone ? (
              <Button disabled={isCollapsing} onClick={onDismiss}>
                Dismiss
              </Button>
            ) : (
              <Decisions card={card} reason={reason} {...decisions} />
            )}
            <span className="push">
              <OthersListed invite={invite} />
            </span>
          </div>
          {invite.private_to.length > 0 && invite.school && (
            <p className="small">
              The server is private to {invite.private_to.join(', ')}. Approving this invite also shows it to{' '}
              {invite.school.name}.
            </p>
          )}
          {invite.changes_privacy && <p className="small">{privacyChangeText(server.privacy_level_info.value)}</p>}
          {!server.is_active && (
            <p className="muted small">
              A manager removed this server from the directory. Approving an invite does not list it again.
            </p>
          )}
          {!invite.is_valid && !isGone && (
            <p className="muted small">
              Its link does not work, so it cannot be approved. Check it again, or close it: its submitter is notified.
            </p>
          )}
        </article>
      </div>
    </li>
  )
}
