import { NextPage } from '../../../client/components/next-page.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import type { AdminKey } from '../../web/admin-change.ts'
import type { Entry } from '../audit/history.ts'
import type { Table } from '../table.ts'
import { listPath, nameOf, rowPath } from '../table-parts.ts'
import { ChangeList } from './change-list.tsx'
import { EntryTable } from './entry-table.tsx'
import { Head } from './head.tsx'

interface Props {
  table: Table
  rowKey: AdminKey
  /** Null: the row was deleted, but its history remains. */
  title: string | null
  entries: readonly Entry[]
  next: number | null
  timeZone: string
}

export function HistoryPage({ table, rowKey, title, entries, next, timeZone }: Props) {
  const name = nameOf(table, rowKey, title ?? entries[0]?.title ?? null)
  const crumbs = [{ label: table.labels, href: listPath(table) }]
  const path = rowPath(table, rowKey)
  return (
    <div className="stack admin">
      <Head
        crumbs={title === null ? crumbs : [...crumbs, { label: name, href: path }]}
        title={`History of ${name}`}
        about={title === null ? 'This no longer exists.' : undefined}
      />
      <div className="card">
        <EntryTable
          entries={entries}
          timeZone={timeZone}
          label="What changed"
          cell={({ changes }) => <ChangeList changes={changes} />}
          empty={<EmptyState title="No changes yet" />}
        />
      </div>
      {next === null ? null : <NextPage href={`${path}history/?before=${next}`} />}
    </div>
  )
}
