import type { Invite } from '../../../src/classcords/contract.ts'
import type { ClasscordsCalls } from './calls.ts'
import { InviteEntry } from './invite-entry.tsx'

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
