import { useState } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { useRunning } from '../../components/use-running.ts'
import { LockedServerCard, ServerCard } from './server-card.tsx'
import { isLocked, serverGroups, serverHref } from './server-text.ts'

interface ServerListProps {
  servers: readonly DiscordServer[]
  heading: string
  /** How the list starts. */
  isGrouped: boolean
  onChoose: (server: DiscordServer) => void
  /** The pointer is over a server. */
  onNear: () => void
}

type Choosing = Pick<ServerListProps, 'servers' | 'onChoose' | 'onNear'>

function Cards({ servers, onChoose, onNear }: Choosing) {
  const isRunning = useRunning()
  return (
    <ul className="cards">
      {servers.map((server) => (
        <li key={server.id}>
          {isLocked(server) ? (
            <LockedServerCard server={server} />
          ) : (
            <ServerCard
              server={server}
              title={
                <a
                  href={serverHref(server)}
                  aria-haspopup={isRunning ? 'dialog' : undefined}
                  onPointerEnter={onNear}
                  onClick={(event) => {
                    // A modifier key opens a new tab, as for every link.
                    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
                    event.preventDefault()
                    onChoose(server)
                  }}
                >
                  <bdi className="lines-2">{server.display_name}</bdi>
                </a>
              }
            />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Servers in collapsible sections or as one list. The sections also work without scripts. */
export function ServerList({ heading, isGrouped, ...choosing }: ServerListProps) {
  const [grouped, setGrouped] = useState(isGrouped)
  const { servers } = choosing
  return (
    <div className="stack">
      <div className="row">
        <h2>{heading}</h2>
        <div className="switch push" role="group" aria-label="View">
          <button type="button" className="button" aria-pressed={grouped} onClick={() => setGrouped(true)}>
            Grouped
          </button>
          <button type="button" className="button" aria-pressed={!grouped} onClick={() => setGrouped(false)}>
            List
          </button>
        </div>
      </div>
      {grouped ? (
        serverGroups(servers).map(({ key, title, servers: some }) => (
          <details key={key} className="group" open>
            <summary>
              <h2>
                {title} <span className="muted numbers">{some.filter((server) => !isLocked(server)).length || ''}</span>
              </h2>
            </summary>
            <Cards {...choosing} servers={some} />
          </details>
        ))
      ) : (
        <Cards {...choosing} />
      )}
    </div>
  )
}
