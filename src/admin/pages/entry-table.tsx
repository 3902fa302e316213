import type { ReactNode } from 'react'
import { DataTable } from '../../../client/components/data-table.tsx'
import type { Entry } from '../audit/history.ts'
import { rowPath } from '../table-parts.ts'
import { CellTime } from './cell.tsx'

/** Entries of the audit: when, who, the act, and in the last column what the page says of each. */
export function EntryTable({
  entries,
  timeZone,
  label,
  cell,
  empty,
}: {
  entries: readonly Entry[]
  timeZone: string
  label: string
  cell: (entry: Entry) => ReactNode
  empty: ReactNode
}) {
  return (
    <DataTable
      className="admin-table"
      columns={[
        {
          label: 'When',
          cell: ({ id, at }) => (
            <a href={rowPath({ name: 'audit' }, id)}>
              <CellTime at={at} timeZone={timeZone} />
            </a>
          ),
        },
        { label: 'Who', cell: ({ who }) => who },
        { label: 'Action', cell: ({ act }) => act },
        { label, className: 'break', cell },
      ]}
      rows={entries}
      empty={empty}
    />
  )
}
