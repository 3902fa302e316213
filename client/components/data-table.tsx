import type { ReactNode } from 'react'

interface Column<Row> {
  label: string
  /** Aligned at the end, with its heading. */
  isNumber?: boolean
  /** Of its cells. */
  className?: string
  cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** Besides `table`. */
  className?: string
  caption?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Default: its place. */
  keyOf?: (row: Row) => string | number
}

/** One row per entry. A phone has no room for the headings, so each cell shows its own. */
export function DataTable<Row>({ className, caption, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <table className={className ? `table ${className}` : 'table'}>
      {caption && <caption className="hidden-visually">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ label, isNumber }) => (
            <th key={label} scope="col" className={isNumber ? 'cell-end' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf?.(row) ?? index}>
            {columns.map(({ label, isNumber, className: look, cell }) => (
              <td key={label} data-label={label} className={look ?? (isNumber ? 'cell-end' : undefined)}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
