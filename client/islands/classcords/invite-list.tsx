import type { Invite } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { AbsoluteTime } from '../../components/relative-time.tsx'
import { counted } from '../../components/count-text.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'
import { joinHref } from './server-text.ts'

export function InviteEntry({ invite, timeZone, onJoin }: { invite: Invite; timeZone: string; onJoin?: () => void }) {
  const { invite_url: url, notes_html: notes, expires_at: expiresAt, is_valid: isValid } = invite
  const address = <bdi className="address">{url.replace(/^https:\/\//, '')}</bdi>
  return (
    <li className="row invite">
      <div className="grow">
        {/* The server renders this HTML and allows only simple formatting. */}
        {notes === '' ? address : <div className="prose" dangerouslySetInnerHTML={{ __html: notes }} />}
        <p className="muted meta numbers">
          {notes !== '' && <>{address} · </>}
          {counted(invite.uses_count, 'use')}
          {expiresAt ? (
            <>
              {' · expires '}
              <AbsoluteTime at={expiresAt} timeZone={timeZone} />
            </>
          ) : (
            ' · never expires'
          )}
        </p>
      </div>
      {!isValid && <Badge tone="danger">Invalid</Badge>}
      <span className="only-script">
        <CopyButton text={url} subject="invite link" iconOnly />
      </span>
      {isValid ? (
        <LinkButton
          kind="primary"
          large
          href={joinHref(invite)}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={onJoin}
        >
          Join
          <Icon name="out" size={16} />
        </LinkButton>
      ) : (
        <Button kind="primary" large disabled>
          Join
        </Button>
      )}
    </li>
  )
}

export function InviteList({ invites, timeZone }: { invites: readonly Invite[]; timeZone: string }) {
  if (invites.length === 0) return <p className="muted">No invites available for this server.</p>
  return (
    <ul className="invites">
      {invites.map((invite) => (
        <InviteEntry
          key={invite.id}
          invite={invite}
          timeZone={timeZone}
          onJoin={() => {
            // Joining does not depend on whether the use was counted.
            calls.trackUsage(invite.id).catch(() => undefined)
          }}
        />
      ))}
    </ul>
  )
}
