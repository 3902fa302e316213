import type { AuditProps } from '../../../src/scheduler/contract.ts'
import { NextPage } from '../../components/next-page.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { PageHead } from '../../components/page-head.tsx'
import type { IslandProps } from '../index.ts'
import { jobAddress } from './addresses.ts'
import { Moment } from './moment.tsx'
import { jobsText } from './texts.ts'
import { Unreachable } from './unreachable.tsx'

export function Island({ props, context }: IslandProps<AuditProps>) {
  return (
    <div className="stack stack-large scheduler">
      <PageHead title="Audit log" about="Everything done to queues and jobs, newest first." />
      <Unreachable queues={props.unreachable} what="actions" />
      <section className="card" aria-label="Actions">
        <DataTable
          columns={[
            { label: 'When', cell: ({ at }) => <Moment at={at} timeZone={context.time_zone} /> },
            { label: 'Who', cell: ({ who }) => who },
            { label: 'What', cell: ({ act }) => act },
            { label: 'Queue', cell: ({ queue }) => queue },
            {
              label: 'Job',
              cell: ({ job, jobs }) =>
                job === null ? jobs > 0 && jobsText(jobs) : <a href={jobAddress(job)}>{job}</a>,
            },
            { label: 'Detail', cell: ({ detail }) => detail },
          ]}
          rows={props.entries}
          empty={<EmptyState title="No actions yet" />}
        />
      </section>
      {props.next_before === null ? null : <NextPage href={`?before=${encodeURIComponent(props.next_before)}`} />}
    </div>
  )
}
