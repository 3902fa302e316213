import type { AuditProps, AuditRow } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { TableHead } from '../../components/table-head.tsx'
import type { IslandProps } from '../index.ts'
import { jobAddress } from './addresses.ts'
import { MomentCell } from './moment.tsx'
import { jobsText } from './texts.ts'
import { Unreachable } from './unreachable.tsx'

function Entry({ entry, timeZone }: { entry: AuditRow; timeZone: string }) {
  return (
    <tr>
      <MomentCell label="When" at={entry.at} timeZone={timeZone} />
      <td data-label="Who">{entry.who}</td>
      <td data-label="What">{entry.act}</td>
      <td data-label="Queue">{entry.queue}</td>
      <td data-label="Job">
        {entry.job === null ? entry.jobs > 0 && jobsText(entry.jobs) : <a href={jobAddress(entry.job)}>{entry.job}</a>}
      </td>
      <td data-label="Detail">{entry.detail}</td>
    </tr>
  )
}

export function Island({ props, context }: IslandProps<AuditProps>) {
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <h1>Who did what</h1>
          <p>Everything people did to queues and jobs, newest first.</p>
        </div>
      </div>
      <Unreachable queues={props.unreachable} what="actions" />
      <section className="card" aria-label="Actions">
        {props.entries.length === 0 ? (
          <EmptyState title="No actions yet" />
        ) : (
          <table className="table">
            <TableHead names={['When', 'Who', 'What', 'Queue', 'Job', 'Detail']} />
            <tbody>
              {props.entries.map((entry, index) => (
                <Entry key={index} entry={entry} timeZone={context.time_zone} />
              ))}
            </tbody>
          </table>
        )}
      </section>
      {props.next_before === null ? null : (
        <nav className="pagination" aria-label="Pages">
          <LinkButton href={`?before=${encodeURIComponent(props.next_before)}`} rel="next">
            Older
          </LinkButton>
        </nav>
      )}
    </div>
  )
}
