import type { ServerUses } from '../../../src/classcords/contract.ts'
import { useLevel } from '../../use-level.tsx'
import { counted, countText } from '../../components/count-text.ts'
import { calls } from '#in-browser/islands/classcords/calls.ts'

const BAR_WIDTH = 8
const HEIGHT = 48

/** The same data, loaded. Nothing is shown if it does not load. */
export function FetchedUsesChart({ serverId }: { serverId: number }) {
  const uses = useLevel(String(serverId), async (signal) => [await calls.getUses(serverId, signal)]).items?.[0]
  return uses ? <UsesChart uses={uses} /> : null
}

/** Uses of a server's invites in the last 30 days, for managers. */
export function UsesChart({ uses }: { uses: ServerUses }) {
  const top = Math.max(1, ...uses.days.map((day) => day.uses))
  const recent = uses.days.reduce((sum, day) => sum + day.uses, 0)
  const words = `${counted(recent, 'use')} in the last 30 days, ${countText(uses.total)} in all`
  return (
    <figure className="stack stack-small">
      <figcaption className="small muted numbers">{words}</figcaption>
      {recent > 0 && (
        <svg
          className="uses"
          preserveAspectRatio="none"
          viewBox={`0 0 ${uses.days.length * BAR_WIDTH} ${HEIGHT}`}
          role="img"
          aria-label={words}
        >
          {uses.days.map(({ day, uses: count }, index) => {
            const tall = (count / top) * HEIGHT
            return (
              <rect key={day} x={index * BAR_WIDTH} y={HEIGHT - tall} width={BAR_WIDTH - 2} height={tall}>
                <title>{`${day}: ${counted(count, 'use')}`}</title>
              </rect>
            )
          })}
        </svg>
      )}
    </figure>
  )
}
