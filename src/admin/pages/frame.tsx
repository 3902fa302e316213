import type { ReactNode } from 'react'
import { countText } from '../../../client/components/count-text.ts'
import { absoluteText, relativeText } from '../../../client/components/time-text.ts'
import { iso } from '../../lib/time.ts'
import type { Counts } from '../read-counts.ts'
import type { Place } from '../table.ts'
import { listPath } from '../table-parts.ts'

interface Props {
  places: readonly Place[]
  current: string
  counts: Counts
  /** ms since epoch */
  now: number
  timeZone: string
  children: ReactNode
}

/** A page beside the list of all tables, if there is room for both. */
export function Frame({ places, current, counts, now, timeZone, children }: Props) {
  const areas = Map.groupBy(places, ({ area }) => area)
  return (
    <div className="admin-frame">
      <nav className="admin-side" aria-label="Tables">
        {[...areas].map(([area, tables]) => (
          <div key={area}>
            <p className="tiny muted">{area}</p>
            <ul>
              {tables.map((table) => (
                <li key={table.name}>
                  <a href={listPath(table)} aria-current={table.name === current ? 'page' : undefined}>
                    {table.labels}
                    <CountOf counts={counts} name={table.name} />
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <CountsAge counts={counts} now={now} timeZone={timeZone} />
      </nav>
      {children}
    </div>
  )
}

function CountOf({ counts, name }: { counts: Counts; name: string }) {
  const rows = counts.get(name)?.rows ?? 0
  // Zeros would hide which tables hold anything.
  return rows === 0 ? null : <span className="muted numbers">{countText(rows)}</span>
}

/** "Counts updated 3 min ago": of the oldest of them. */
export function CountsAge({ counts, now, timeZone }: Pick<Props, 'counts' | 'now' | 'timeZone'>) {
  const oldest = Math.min(...[...counts.values()].map(({ at }) => at))
  if (!Number.isFinite(oldest)) return null
  return (
    <p className="tiny muted">
      Counts updated{' '}
      <time dateTime={iso(oldest)} title={absoluteText(iso(oldest), timeZone, true)}>
        {relativeText(oldest, now)}
      </time>
    </p>
  )
}
