import type { ReactNode } from 'react'

interface Column<Row> {
  label: string
  /** Whether only screen readers get the label, because the cells speak for themselves. */
  isUnlabeled?: boolean
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
  /** Whether it scrolls sideways on a narrow screen. */
  isWide?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Default: its place. */
  keyOf?: (row: Row) => string | number
  /** Shown instead of a table without rows; default: nothing. */
  empty?: ReactNode
}

/** One row per entry. A phone has no room for the headings, so each cell shows its own. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { className, caption, isWide = false, columns, rows, keyOf, empty } = props
  if (rows.length === 0) return empty
  const table = (
    <table className={className ? `table ${className}` : 'table'}>
      {caption && <caption className="hidden-visually">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ label, isUnlabeled, isNumber }) => (
            <th key={label} scope="col" className={isNumber ? 'cell-end' : undefined}>
              {isUnlabeled ? <span className="hidden-visually">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf?.(row) ?? index}>
            {columns.map(({ label, isUnlabeled, isNumber, className: look, cell }) => (
              <td
                key={label}
                data-label={isUnlabeled ? undefined : label}
                className={look ?? (isNumber ? 'cell-end' : undefined)}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return isWide ? <div className="wide">{table}</div> : table
}
