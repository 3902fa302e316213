import type { ReactNode } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { Icon } from '../../components/icon.tsx'

/**
 * Placeholders that fade behind one sentence on how to see the servers. They contain no information, so they are hidden
 * from screen readers.
 */
export function LockedServers({ servers, children }: { servers: readonly DiscordServer[]; children: ReactNode }) {
  return (
    <div className="locked-servers">
      <div className="locked-cards" aria-hidden="true">
        {servers.map((server) => (
          <div key={server.id} className="locked">
            <span className="locked-sign">
              <Icon name="lock" size={16} />
            </span>
            {server.display_name}
          </div>
        ))}
      </div>
      <div className="locked-say">{children}</div>
    </div>
  )
}
