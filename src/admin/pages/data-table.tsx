import type { ReactNode } from 'react'
import type { AdminRow } from '../../web/admin-change.ts'
import type { Entry } from '../audit/history.ts'
import { rowPath } from '../table-parts.ts'
import type { Panel } from '../table.ts'
import { Cell, Moment } from './cell.tsx'

interface Column<Row> {
  label: string
  /** The table's texts may have long words, which are broken so that they fit the page. */
  isBroken?: boolean
  cell: (row: Row) => ReactNode
}

export function DataTable<Row>({ columns, rows }: { columns: readonly Column<Row>[]; rows: readonly Row[] }) {
  return (
    <table className="table admin-table">
      <thead>
        <tr>
          {columns.map(({ label }) => (
            <th scope="col" key={label}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map(({ label, isBroken, cell }) => (
              <td key={label} data-label={label} className={isBroken ? 'break' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Entries of the audit: when, who, the act, and in the last column what the page says of each. */
export function EntryTable({
  entries,
  timeZone,
  label,
  cell,
}: {
  entries: readonly Entry[]
  timeZone: string
  label: string
  cell: (entry: Entry) => ReactNode
}) {
  return (
    <DataTable
      columns={[
        {
          label: 'When',
          cell: ({ id, at }) => (
            <a href={rowPath({ name: 'audit' }, id)}>
              <Moment at={at} timeZone={timeZone} />
            </a>
          ),
        },
        { label: 'Who', cell: ({ who }) => who },
        { label: 'Action', cell: ({ act }) => act },
        { label, isBroken: true, cell },
      ]}
      rows={entries}
    />
  )
}

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
