import { LinkButton } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import type { AdminKey, AdminTable } from '../../web/admin-table.ts'
import type { Entry } from '../audit/history.ts'
import { listPath, rowPath } from '../table-parts.ts'
import { Moment } from './cell.tsx'
import { adminCrumb, Head } from './head.tsx'

interface Props {
  table: AdminTable
  rowKey: AdminKey
  /** Null: the row is gone, its history is not. */
  title: string | null
  entries: readonly Entry[]
  next: number | null
  timeZone: string
}

/** What happened to one row. */
export function HistoryPage({ table, rowKey, title, entries, next, timeZone }: Props) {
  const name = title ?? entries[0]?.title ?? ''
  const crumbs = [adminCrumb, { label: table.labels, href: listPath(table) }]
  const path = rowPath(table, rowKey)
  return (
    <div className="stack admin">
      <Head
        crumbs={title === null ? crumbs : [...crumbs, { label: title || `${table.label} ${rowKey}`, href: path }]}
        title={`History of ${name || `${table.label} ${rowKey}`}`}
        about={title === null ? 'It is not there any more.' : undefined}
      />
      <div className="card">
        {entries.length === 0 ? (
          <EmptyState title="Nothing has happened to it here" />
        ) : (
          <EntryTable entries={entries} timeZone={timeZone} />
        )}
      </div>
      {next === null ? null : (
        <nav className="pagination" aria-label="Pages">
          <LinkButton href={`${path}history/?before=${next}`} rel="next">
            Older
          </LinkButton>
        </nav>
      )}
    </div>
  )
}

function EntryTable({ entries, timeZone }: { entries: readonly Entry[]; timeZone: string }) {
  return (
    <table className="table admin-table">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">Act</th>
          <th scope="col">What changed</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td data-label="When">
              <a href={rowPath({ name: 'audit' }, entry.id)}>
                <Moment at={entry.at} timeZone={timeZone} />
              </a>
            </td>
            <td data-label="Who">{entry.who}</td>
            <td data-label="Act">{entry.act}</td>
            <td data-label="What changed" className="break">
              <ul>
                {entry.changes.map(({ field, before, after }) => (
                  <li key={field}>
                    <span className="strong">{field}</span>: {before === '' ? '–' : before} →{' '}
                    {after === '' ? '–' : after}
                  </li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
