import { LinkButton } from '../../../client/components/button.tsx'
import type { AdminOutcome, AdminValue } from '../../web/admin-change.ts'
import type { Table } from '../table.ts'
import { listPath } from '../table-parts.ts'
import { DataTable } from './data-table.tsx'
import { Head } from './head.tsx'

/** The result of an action, if it is more than a sentence. */
export function OutcomePage({
  table,
  title,
  outcome,
  back,
}: {
  table: Table
  title: string
  outcome: AdminOutcome
  back: string
}) {
  return (
    <div className="stack admin">
      <Head crumbs={[{ label: table.labels, href: listPath(table) }]} title={title} about={outcome.message} />
      {outcome.details.map(({ heading, columns, rows }) => (
        <section className="stack stack-small" key={heading}>
          <h2>{heading}</h2>
          <div className="card">
            <DataTable
              columns={columns.map((label, at) => ({
                label,
                isBroken: true,
                cell: (row: readonly AdminValue[]) => shown(row[at] ?? null),
              }))}
              rows={rows}
            />
          </div>
        </section>
      ))}
      <p>
        <LinkButton href={back}>Back</LinkButton>
      </p>
    </div>
  )
}

const shown = (value: AdminValue): string => (value === null || value === '' ? '–' : String(value))
