import type { AdminPanel, AdminRow } from '../../web/admin-table.ts'
import { Cell } from './cell.tsx'
import { DataTable } from './data-table.tsx'

/** A block of reading on a row's page. */
export function Panel({ panel, rows, timeZone }: { panel: AdminPanel; rows: readonly AdminRow[]; timeZone: string }) {
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
