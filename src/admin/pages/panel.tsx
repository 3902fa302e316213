import type { AdminRow } from '../../web/admin-change.ts'
import { Cell } from './cell.tsx'
import type { Panel } from '../table.ts'
import { DataTable } from './data-table.tsx'

/** A block of reading on a row's page. */
export function PanelOfRow({ panel, rows, timeZone }: { panel: Panel; rows: readonly AdminRow[]; timeZone: string }) {
  return (
    <section className="stack stack-small">
      <h2>{panel.heading}</h2>
      {rows.length === 0 ? (
        <p className="muted small">{panel.empty}</p>
      ) : (
        <div className="card">
          <DataTable
            columns={panel.columns.map((column) => ({
              label: column.label,
              cell: (row: AdminRow) => <Cell shape={column} value={row[column.name] ?? null} timeZone={timeZone} />,
            }))}
            rows={rows}
          />
        </div>
      )}
    </section>
  )
}
