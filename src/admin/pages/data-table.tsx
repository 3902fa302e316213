import type { ReactNode } from 'react'

interface Column<Row> {
  label: string
  /** Its texts may be long words: they are broken rather than wider than the page. */
  isBroken?: boolean
  cell: (row: Row) => ReactNode
}

/** Rows to read, under the heads of their columns. */
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
