import type { Invite } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { absoluteText } from '../../components/time-text.ts'
import type { ClasscordsCalls } from './calls.ts'
import { countText } from './server-text.ts'

interface InviteEntryProps {
  invite: Invite
  timeZone: string
  onJoin: () => void
}

/** One invite of a server: its notes, and the way in. */
export function InviteEntry({ invite, timeZone, onJoin }: InviteEntryProps) {
  const { invite_url: url, notes_html: notes, expires_at: expiresAt, is_valid: isValid } = invite
  return (
    <li className="card invite">
      {/* The server made this HTML of the notes and let nothing but plain text marks through. */}
      {notes !== '' && <div className="prose" dangerouslySetInnerHTML={{ __html: notes }} />}
      <div className="row">
        <p className="grow">
          <bdi className="address">{url}</bdi>
          <span className="muted small numbers">
            {countText(invite.uses_count, 'use')}
            {expiresAt && (
              <>
                {' · expires '}
                <time dateTime={expiresAt}>{absoluteText(expiresAt, timeZone)}</time>
              </>
            )}
          </span>
        </p>
        {!isValid && <Badge tone="danger">Invalid</Badge>}
        <span className="only-script">
          <CopyButton text={url} subject="invite link" />
        </span>
        {isValid ? (
          <LinkButton kind="primary" icon="out" href={url} target="_blank" rel="noopener noreferrer" onClick={onJoin}>
            Join
          </LinkButton>
        ) : (
          <Button kind="primary" disabled>
            Join
          </Button>
        )}
      </div>
    </li>
  )
}

interface InviteListProps {
  invites: readonly Invite[]
  timeZone: string
  calls: ClasscordsCalls
}

/** The ways into a server. */
export function InviteList({ invites, timeZone, calls }: InviteListProps) {
  if (invites.length === 0) return <p className="muted">No invites available for this server.</p>
  return (
    <ul className="stack">
      {invites.map((invite) => (
        <InviteEntry
          key={invite.id}
          invite={invite}
          timeZone={timeZone}
          onJoin={() => {
            // Counting is nobody's business but ours: joining goes on whatever comes of it.
            calls.trackUsage(invite.id).catch(() => undefined)
          }}
        />
      ))}
    </ul>
  )
}
