import type { AdminRow } from '../../web/admin-change.ts'
import type { Entry } from '../audit/history.ts'
import type { KnownRow } from '../row/read-row.ts'
import { relatedCountText } from '../row/related-counts.ts'
import type { Table } from '../table.ts'
import { listPath, rowPath } from '../table-parts.ts'
import { CellTime } from './cell.tsx'
import { ChangeList } from './change-list.tsx'

export interface RowSummary {
  latest: readonly Entry[]
  /** How many rows of the related tables. */
  counts: AdminRow
  /** ms since epoch */
  now: number
}

interface RowAsideProps {
  table: Table
  known: KnownRow
  summary: RowSummary
  timeZone: string
}

export function RowAside({ table, known, summary, timeZone }: RowAsideProps) {
  return (
    <aside className="admin-beside" aria-label="History and related rows">
      <section>
        <h2>
          <a href={`${rowPath(table, known.key)}history/`}>History</a>
        </h2>
        {summary.latest.length === 0 ? (
          <p className="muted small">No changes yet.</p>
        ) : (
          <ol className="timeline">
            {summary.latest.map((entry) => (
              <li key={entry.id}>
                {entry.changes.length === 0 ? entry.act : <ChangeList changes={entry.changes.slice(0, 4)} />}
                <p className="muted tiny">
                  {entry.who} · <CellTime at={entry.at} now={summary.now} timeZone={timeZone} />
                </p>
              </li>
            ))}
          </ol>
        )}
      </section>
      {table.related.length === 0 ? null : (
        <section>
          <h2>Related</h2>
          <ul className="related">
            {table.related.map((one, index) => (
              <li key={one.label}>
                <a href={`${listPath({ name: one.table })}?${one.filter}=${encodeURIComponent(known.key)}`}>
                  {one.label}
                </a>
                <span className="muted numbers">{relatedCountText(summary.counts, index)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  )
}
