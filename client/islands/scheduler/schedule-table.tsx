import type { ScheduleRow } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { PostForm } from '../../components/post-form.tsx'
import { Moment, MomentCell } from './moment.tsx'
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
      {schedules.length === 0 ? (
        <EmptyState small title="No schedules." />
      ) : (
        <div className="wide">
          <table className="table table-dense table-figures">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">When</th>
                <th scope="col">Last run</th>
                <th scope="col">Last result</th>
                <th scope="col">Next run</th>
                <th scope="col">
                  <span className="hidden-visually">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {schedules.map((schedule) => (
                <tr key={schedule.name}>
                  <td data-label="Name">
                    <span className="row">
                      <span className="strong">{schedule.name}</span>
                      {schedule.is_enabled ? null : <Badge>Off</Badge>}
                    </span>
                  </td>
                  <td data-label="When">{schedule.every}</td>
                  <MomentCell label="Last run" at={schedule.last_run_at} timeZone={context.time_zone} />
                  <td data-label="Last result">
                    <LastResult error={schedule.last_error} />
                  </td>
                  <td data-label="Next run">
                    {schedule.is_enabled ? (
                      <Moment at={schedule.next_run_at} timeZone={context.time_zone} />
                    ) : (
                      <span className="muted">Off</span>
                    )}
                  </td>
                  <td>
                    <span className="row row-end">
                      <ScheduleForm name={schedule.name} act="run" context={context} />
                      <ScheduleForm
                        name={schedule.name}
                        act={schedule.is_enabled ? 'disable' : 'enable'}
                        context={context}
                      />
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
