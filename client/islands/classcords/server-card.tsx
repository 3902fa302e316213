import type { ReactNode } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { ServerIcon } from '../../components/server-icon.tsx'
import { cardDescription, countText, serverChips } from './server-text.ts'

function Chips({ server }: { server: DiscordServer }) {
  const { shown, more } = serverChips(server)
  if (shown.length === 0) return null
  return (
    <ul className="chips" aria-label="Classes">
      {shown.map((text) => (
        <li key={text} className="chip">
          <bdi className="clip">{text}</bdi>
        </li>
      ))}
      {more > 0 && <li className="chip">+{more} more</li>}
    </ul>
  )
}

/** A server's badges: featured, public or private. */
export function ServerBadges({
  server,
}: {
  server: Pick<DiscordServer, 'is_required_for_trust' | 'privacy_level_info'>
}) {
  return (
    <p className="row">
      {server.is_required_for_trust && <Badge tone="info">Featured</Badge>}
      <Badge>
        {server.privacy_level_info.value === 'private' && <Icon name="lock" size={12} />}
        {server.privacy_level_info.label}
      </Badge>
    </p>
  )
}

/** A server in a list. `title` is its name as a link, which covers the whole card. */
export function ServerCard({ server, title }: { server: DiscordServer; title: ReactNode }) {
  const description = cardDescription(server.description)
  return (
    <article className="card card-link">
      <div className="server-head">
        <ServerIcon name={server.display_name} url={server.icon_url} />
        <div>
          <h3>{title}</h3>
          <p className="muted small numbers">{countText(server.member_count, 'member')}</p>
        </div>
      </div>
      {description !== '' && (
        <p className="small">
          <bdi>{description}</bdi>
        </p>
      )}
      <Chips server={server} />
      <ServerBadges server={server} />
    </article>
  )
}

/** A placeholder for a server that only people who are logged in see. It has no link. */
export function LockedServerCard({ server }: { server: DiscordServer }) {
  return (
    <article className="card card-link locked">
      <div className="server-head">
        <span className="server-icon">
          <Icon name="lock" />
        </span>
        <div>
          <h3>{server.display_name}</h3>
          <p className="muted small">Log in with Discord to see it.</p>
        </div>
      </div>
      <ServerBadges server={server} />
    </article>
  )
}
