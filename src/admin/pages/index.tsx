import type { Entry } from '../audit/history.ts'
import type { Index } from '../read-index.ts'
import type { Table } from '../table.ts'
import { addPath, inSentence, listPath, rowPath } from '../table-parts.ts'
import { countText } from '../../../client/components/count-text.ts'
import { EntryTable } from './entry-table.tsx'
import { CountsAge } from './frame.tsx'

interface Props {
  tables: readonly Table[]
  index: Index
  /** ms since epoch */
  now: number
  timeZone: string
}

export function IndexPage({ tables, index, now, timeZone }: Props) {
  const areas = Map.groupBy(tables, ({ area }) => area)
  return (
    <div className="stack admin">
      <header className="admin-head">
        <h1>Admin</h1>
        <CountsAge counts={index.counts} now={now} timeZone={timeZone} />
      </header>
      <div className="admin-areas">
        {[...areas].map(([area, list]) => (
          <section className="card" key={area} aria-label={area}>
            <h2 className="card-head">{area}</h2>
            <ul className="admin-tables">
              {list.map((table) => (
                <li key={table.name}>
                  <a href={listPath(table)}>{table.labels}</a>
                  <span className="muted numbers">{countText(index.counts.get(table.name)?.rows ?? 0)}</span>
                  {!table.mayAdd ? null : (
                    <a className="small" href={addPath(table)} aria-label={`Add ${inSentence(table.label)}`}>
                      Add
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <section className="stack stack-small">
        <h2>Recent actions</h2>
        <div className="card">
          <EntryTable
            entries={index.recent}
            timeZone={timeZone}
            label="What"
            cell={(entry) => <Touched entry={entry} tables={tables} />}
            empty={
              <p className="card-body muted">
                No changes yet. Everything done here or elsewhere on the site is listed here.
              </p>
            }
          />
        </div>
        <p className="small">
          <a href="/admin/audit/">Full audit log</a>
        </p>
      </section>
    </div>
  )
}

/** What was changed, as a link while it still exists. */
function Touched({ entry, tables }: { entry: Entry; tables: readonly Table[] }) {
  const table = tables.find((one) => one.table === entry.table_name)
  const name = entry.title || entry.row_key
  return (
    <>
      {entry.row_key === '' ? null : <>{table?.label ?? entry.table_name} </>}
      {table && entry.row_key !== '' && entry.act !== 'deleted' ? (
        <a href={rowPath(table, entry.row_key)}>{name}</a>
      ) : (
        name
      )}
    </>
  )
}
