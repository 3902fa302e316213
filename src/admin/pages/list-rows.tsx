import { SchoolName } from '../../../client/islands/classcords/names.tsx'
import { truncated } from '../../lib/text.ts'
import { type ListQuery, listAddress } from '../list/list-query.ts'
import type { AdminValue } from '../../web/admin-change.ts'
import type { ListedRow } from '../list/read-list.ts'
import type { Column, Table } from '../table.ts'
import { rowPath } from '../table-parts.ts'
import { Cell } from './cell.tsx'

interface Props {
  table: Table
  query: ListQuery
  rows: readonly ListedRow[]
  /** ms since epoch */
  now: number
  timeZone: string
  isChosen: boolean
}

/** The rows, with check boxes if there are actions for them. */
export function ListRows({ table, query, rows, now, timeZone, isChosen }: Props) {
  const columns = table.columns.filter(
    (column, index) =>
      !column.isHidden &&
      !column.isBesideFirst &&
      (index === 0 || column.name === query.sort?.name || isInformative(column, table, query, rows)),
  )
  // Sections are compared by their seats, so what surrounds these is quieter.
  const quiet: readonly Column['kind'][] = columns.some(({ kind }) => kind === 'seats') ? ['text', 'moment'] : []
  return (
    <table className="table admin-table admin-rows">
      <thead>
        <tr>
          {isChosen ? (
            <th className="tick">
              <input type="checkbox" aria-label="Select all on this page" data-ticks="key" hidden />
            </th>
          ) : null}
          {columns.map((column) => (
            <ColumnHead key={column.name} table={table} query={query} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((listed) => (
          <tr key={listed.key}>
            {isChosen ? <Tick listed={listed} /> : null}
            {columns.map((column, index) => (
              <td
                key={column.name}
                data-label={column.label}
                className={
                  index === 0 ? 'row-name' : `cell-${column.kind}${quiet.includes(column.kind) ? ' muted' : ''}`
                }
              >
                <RowCell
                  table={table}
                  column={column}
                  listed={listed}
                  now={now}
                  timeZone={timeZone}
                  isFirst={index === 0}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Tick({ listed: { key, title } }: { listed: ListedRow }) {
  return (
    <td className="tick">
      <input type="checkbox" name="key" value={key} aria-label={`Select ${truncated(title) || key}`} />
    </td>
  )
}

/** False for a column that is blank in every row, or that a filter, shown above, holds to one value. */
function isInformative(column: Column, table: Table, { filters }: ListQuery, rows: readonly ListedRow[]): boolean {
  const values = new Set(rows.map((listed) => valueOf(listed, column)))
  const isFiltered = table.filters.some(
    (filter) =>
      filters.has(filter.name) &&
      (filter.name === column.name || (filter.kind === 'reference' && filter.to === column.link?.table)),
  )
  if (isFiltered && values.size === 1) return false
  return rows.some((listed) => !isBlank(listed, column))
}

const valueOf = ({ row }: ListedRow, { name }: Column): AdminValue => row[`c_${name}`] ?? null

function isBlank(listed: ListedRow, column: Column): boolean {
  const value = valueOf(listed, column)
  return value === null || value === ''
}

interface RowCellProps extends Pick<Props, 'table' | 'now' | 'timeZone'> {
  column: Column
  listed: ListedRow
  isFirst: boolean
}

function RowCell({ table, column, listed, now, timeZone, isFirst }: RowCellProps) {
  const value = valueOf(listed, column)
  const cell = isBlank(listed, column) ? null : column.link?.table === 'schools' ? (
    <span title={String(value)}>
      <SchoolName name={String(value)} />
    </span>
  ) : (
    <Cell shape={column} value={value} now={now} timeZone={timeZone} />
  )
  if (isFirst) {
    return (
      <a href={rowPath(table, listed.key)}>
        {cell ?? (truncated(listed.title) || `Number ${listed.key}`)}
        {table.columns.map((beside) =>
          beside.isBesideFirst && !isBlank(listed, beside) ? (
            <span key={beside.name} className="row-about">
              {' '}
              <Cell shape={beside} value={valueOf(listed, beside)} timeZone={timeZone} />
            </span>
          ) : null,
        )}
      </a>
    )
  }
  const key = listed.row[`k_${column.name}`] ?? null
  return cell && column.link && key !== null ? <a href={rowPath({ name: column.link.table }, key)}>{cell}</a> : cell
}

function ColumnHead({ table, query, column }: Pick<Props, 'table' | 'query'> & { column: Column }) {
  const look = column.kind === 'number' ? 'cell-number' : undefined
  if (column.sort === undefined) {
    return (
      <th scope="col" className={look}>
        {column.label}
      </th>
    )
  }
  const isSorted = query.sort?.name === column.name
  const next = isSorted && !query.isDescending ? `-${column.name}` : column.name
  return (
    <th
      scope="col"
      className={look}
      aria-sort={isSorted ? (query.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <a href={listAddress(table, query, { sort: next })}>
        {column.label}
        {isSorted ? <span aria-hidden="true">{query.isDescending ? ' ↓' : ' ↑'}</span> : null}
      </a>
    </th>
  )
}
