import { useState, type ReactNode } from 'react'
import type { DiscordServer } from '../../../src/classcords/contract.ts'
import { Icon } from '../../components/icon.tsx'
import { useHydrated } from '../../components/use-hydrated.ts'
import { grow } from '#in-browser/islands/classcords/grow.ts'
import { ServerName } from './names.tsx'
import { ServerCard, ServerRow } from './server-card.tsx'
import { isLocked, serverGroups, serverHref, type ServerGroup } from './server-text.ts'

/** Placeholders that fade behind one sentence on how to see the servers; hidden from screen readers. */
function LockedServers({ servers, children }: { servers: readonly DiscordServer[]; children: ReactNode }) {
  return (
    <div className="locked-servers">
      <div className="locked-cards" aria-hidden="true">
        {servers.map((server) => (
          <div key={server.id} className="small muted locked">
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

interface ServerListProps {
  servers: readonly DiscordServer[]
  heading: ReactNode
  /** Whether the list initially shows sections of cards instead of rows. */
  isGrouped: boolean
  promo?: ReactNode
  /** How to see the servers behind the placeholders; absent: no placeholders. */
  unlock?: ReactNode
  timeZone: string
  onChoose: (server: DiscordServer) => void
  /** Called when the pointer is over a server. */
  onNear: () => void
  words?: string
  schoolId?: number | undefined
}

type SomeServers = Omit<ServerListProps, 'heading' | 'isGrouped' | 'promo' | 'unlock'>

interface ServerLinkProps extends Pick<ServerListProps, 'onChoose' | 'onNear' | 'words'> {
  server: DiscordServer
}

function ServerLink({ server, onChoose, onNear, words = '' }: ServerLinkProps) {
  const isHydrated = useHydrated()
  return (
    <a
      href={serverHref(server)}
      aria-haspopup={isHydrated ? 'dialog' : undefined}
      onPointerEnter={onNear}
      onClick={(event) => {
        // A modifier key opens a new tab, like for every link.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        grow(event.currentTarget, () => onChoose(server))
      }}
    >
      <ServerName server={server} words={words} />
    </a>
  )
}

function Cards({ servers, group, ...choosing }: SomeServers & { group: ServerGroup['key'] }) {
  return (
    <ul className="cards server-cards">
      {servers.map((server) => (
        <li key={server.id}>
          <ServerCard
            server={server}
            timeZone={choosing.timeZone}
            group={group}
            title={<ServerLink server={server} {...choosing} />}
          />
        </li>
      ))}
    </ul>
  )
}

function Rows({ servers, schoolId, ...choosing }: SomeServers) {
  const isOneSchool = servers.every(({ schools }) => schools.length === 1 && schools[0]?.id === schoolId)
  return (
    <div>
      <p className="tiny muted server-rows-head" aria-hidden="true">
        <span>Courses</span>
        <span>Server</span>
        <span>{isOneSchool ? 'About' : 'School'}</span>
        <span>Members</span>
        <span>Online</span>
      </p>
      <ul className="card server-rows">
        {servers.map((server) => (
          <li key={server.id}>
            <ServerRow
              server={server}
              timeZone={choosing.timeZone}
              isOneSchool={isOneSchool}
              title={<ServerLink server={server} {...choosing} />}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Servers as cards in collapsible sections, or as dense rows. The sections also work without scripts. */
export function ServerList({ servers, heading, isGrouped, promo, unlock, ...choosing }: ServerListProps) {
  const [grouped, setGrouped] = useState(isGrouped)
  const listed = servers.filter((server) => !isLocked(server))
  const locked = servers.filter(isLocked)
  return (
    <div className="stack server-list">
      <div className="row list-head">
        {heading}
        <div className="switch push" role="group" aria-label="View">
          <button type="button" aria-pressed={grouped} onClick={() => setGrouped(true)}>
            Grouped
          </button>
          <button type="button" aria-pressed={!grouped} onClick={() => setGrouped(false)}>
            List
          </button>
        </div>
      </div>
      {grouped ? (
        serverGroups(servers).flatMap(({ key, title, servers: some }, index) => {
          const open = some.filter((server) => !isLocked(server))
          const group = (
            <details key={key} className="group" open>
              <summary>
                <h2>
                  {title} <span className="muted numbers">{open.length || ''}</span>
                </h2>
              </summary>
              {open.length > 0 && <Cards {...choosing} servers={open} group={key} />}
              {open.length < some.length && <LockedServers servers={locked}>{unlock}</LockedServers>}
            </details>
          )
          return index === 0 && promo ? [group, <div key="promo">{promo}</div>] : [group]
        })
      ) : (
        <>
          <Rows {...choosing} servers={listed} />
          {promo}
          {locked.length > 0 && <LockedServers servers={locked}>{unlock}</LockedServers>}
        </>
      )}
    </div>
  )
}
