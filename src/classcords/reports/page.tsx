import { Button } from '../../../client/components/button.tsx'
import { EmptyState } from '../../../client/components/empty-state.tsx'
import { CsrfToken } from '../../../client/components/navbar.tsx'
import { absoluteText } from '../../../client/components/time-text.ts'
import { counted } from '../../../client/components/count-text.ts'
import { serverHref } from '../../../client/islands/classcords/server-text.ts'
import type { PageContext } from '../../web/contract.ts'
import type { ReportsProps } from '../contract.ts'

/** Reports waiting for a manager. Needs no script. */
export function ReportsPage({ props, context }: { props: ReportsProps; context: PageContext }) {
  const { reports, report_count: count } = props
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>Reported servers</h1>
          <p>Reports from members, oldest first</p>
        </div>
        {count > 0 && <p className="muted">{counted(count, 'open report')}</p>}
      </div>
      {reports.length === 0 ? (
        <div className="card">
          <EmptyState title="No open reports">
            <p>Every report has been handled.</p>
          </EmptyState>
        </div>
      ) : (
        <ul className="stack">
          {reports.map(({ id, reason, reporter, server, datetime_created: created }) => (
            <li key={id} className="card card-body stack">
              <h2>
                <a href={serverHref(server)}>
                  <bdi>{server.display_name}</bdi>
                </a>
              </h2>
              <p className="notes">{reason}</p>
              <p className="muted small">
                Reported by <bdi>{reporter}</bdi> on{' '}
                <time dateTime={created}>{absoluteText(created, context.time_zone)}</time>
              </p>
              <form method="post" action={`/classcords/reports/${id}/`} className="row">
                <CsrfToken context={context} />
                <Button type="submit" name="outcome" value="dismissed">
                  Keep the server
                  <span className="hidden-visually"> {server.display_name}</span>
                </Button>
                <Button kind="danger" type="submit" name="outcome" value="unlisted">
                  Remove from the list
                  <span className="hidden-visually">: {server.display_name}</span>
                </Button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
