import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { ServerName } from './names.tsx'
import { ServerCard } from './server-card.tsx'
import { serverHref } from './server-text.ts'

/** Servers as cards that link to their pages: lists that need no script. */
export function LinkedCards({
  servers,
  timeZone,
  isCompact = false,
}: {
  servers: readonly DiscordServer[]
  timeZone: string
  /** Whether they are rows on a phone. */
  isCompact?: boolean
}) {
  return (
    <ul className={isCompact ? 'server-cards compact-cards' : 'server-cards'}>
      {servers.map((server) => (
        <li key={server.id}>
          <ServerCard
            server={server}
            timeZone={timeZone}
            title={
              <a href={serverHref(server)}>
                <ServerName server={server} />
              </a>
            }
          />
        </li>
      ))}
    </ul>
  )
}
