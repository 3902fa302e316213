import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import type { ServerGroup } from './server-text.ts'

interface ServerBadgesProps {
  server: Pick<DiscordServer, 'is_required_for_trust' | 'privacy_level_info'>
  group?: ServerGroup['key'] | undefined
}

/** A server's badges, only for what is unusual (featured, private) and not the heading of its group. */
export function ServerBadges({ server, group }: ServerBadgesProps) {
  const isFeatured = server.is_required_for_trust && group !== 'featured'
  const isPrivate = server.privacy_level_info.value === 'private' && group !== 'private'
  if (!isFeatured && !isPrivate) return null
  return (
    <p className="row badges">
      {isFeatured && (
        <Badge>
          <Icon name="star" size={12} />
          Featured
        </Badge>
      )}
      {isPrivate && (
        <Badge>
          <Icon name="lock" size={12} />
          {server.privacy_level_info.label}
        </Badge>
      )}
    </p>
  )
}
