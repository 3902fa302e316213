import type { ScheduleRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { Moment } from './moment.tsx'
import { ErrorLine } from './outcome.tsx'

const labels = { run: 'Run now', enable: 'Turn on', disable: 'Turn off' } as const

function ScheduleForm({ name, act, context }: { name: string; act: keyof typeof labels; context: PageContext }) {
  return (
    <PostForm context={context} action={`/scheduler/schedules/${encodeURIComponent(name)}/${act}/`}>
      <Button type="submit" kind={act === 'disable' ? 'quiet' : 'plain'} aria-label={`${labels[act]}: ${name}`}>
        {labels[act]}
      </Button>
    </PostForm>
  )
}

function LastResult({ error }: { error: string | null }) {
  if (error === null) return <span className="muted">Never run</span>
  if (error === '') return <Badge tone="done">Succeeded</Badge>
  return (
    <span>
      <Badge tone="danger">Failed</Badge>
      <ErrorLine error={error} />
    </span>
  )
}

/** Scheduled jobs: when each last ran, and when it runs next. */
export function ScheduleTable({ schedules, context }: { schedules: readonly ScheduleRow[]; context: PageContext }) {
  return (
    <section className="card" aria-labelledby="schedules">
      <div className="card-head">
        <h2 id="schedules">Recurring</h2>
      </div>
      <DataTable
        className="table-dense table-figures"
        isWide
        columns={[
          {
            label: 'Name',
            cell: ({ name, is_known: isKnown, is_enabled: isOn }) => (
              <span className="row">
                <span className="strong">{name}</span>
                {isKnown ? null : <Badge>Unknown</Badge>}
                {isOn ? null : <Badge>Off</Badge>}
              </span>
            ),
          },
          { label: 'When', cell: ({ every }) => every },
          { label: 'Last run', cell: ({ last_run_at: at }) => <Moment at={at} timeZone={context.time_zone} /> },
          {
            label: 'Last result',
            cell: ({ is_known: isKnown, last_error: error }) => (isKnown ? <LastResult error={error} /> : '–'),
          },
          {
            label: 'Next run',
            cell: ({ is_enabled: isOn, next_run_at: at }) =>
              isOn ? <Moment at={at} timeZone={context.time_zone} /> : <span className="muted">Off</span>,
          },
          {
            label: 'Actions',
            isUnlabeled: true,
            cell: ({ name, is_known: isKnown, is_enabled: isOn }) =>
              isKnown ? (
                <span className="row row-end">
                  <ScheduleForm name={name} act="run" context={context} />
                  <ScheduleForm name={name} act={isOn ? 'disable' : 'enable'} context={context} />
                </span>
              ) : null,
          },
        ]}
        rows={schedules}
        keyOf={({ name }) => name}
        empty={<EmptyState small title="No schedules." />}
      />
    </section>
  )
}
