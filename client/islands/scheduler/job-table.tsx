import type { JobRow, RegistryName } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { useNow } from '../../components/use-now.ts'
import { useHydrated } from '../../components/use-hydrated.ts'
import { RelativeTime } from '../../components/relative-time.tsx'
import { absoluteText, measureText } from '../../components/time-text.ts'
import { RowMenu } from '../../components/row-menu.tsx'
import { jobActionAddress, jobAddress, workerAddress } from './addresses.ts'
import { ranFor, selectionActs, shortName, stateTone, taskTitle } from './texts.ts'
import type { useSelection } from './use-selection.ts'

/** What the table passes to each row. */
interface TableProps {
  registry: RegistryName
  timeZone: string
  selection: ReturnType<typeof useSelection>
}
type RowProps = TableProps & { job: JobRow; hasErrors: boolean; now: number | null }

/** The times of a job; the list shows the one it is sorted by, and the others on request. */
const times = [
  { name: 'created_at', label: 'Created' },
  { name: 'due_at', label: 'Scheduled' },
  { name: 'queued_at', label: 'Enqueued' },
  { name: 'ended_at', label: 'Ended' },
] as const
type TimeName = (typeof times)[number]['name']

/** The most useful time for the jobs of a list. */
const mainTimes: Readonly<Record<RegistryName, TimeName>> = {
  scheduled: 'due_at',
  queued: 'queued_at',
  active: 'queued_at',
  finished: 'ended_at',
  failed: 'ended_at',
  canceled: 'ended_at',
}

/** All times of the job, one per line, as the title of the visible one. */
function timelineText(job: JobRow, timeZone: string): string {
  const { created_at, due_at, queued_at, started_at, ended_at } = job
  const all = { Created: created_at, Scheduled: due_at, Enqueued: queued_at, Started: started_at, Ended: ended_at }
  return Object.entries(all)
    .flatMap(([label, at]) => (at === null ? [] : [`${label} ${absoluteText(at, timeZone, true)}`]))
    .join('\n')
}

/** The id of the form that the menus of the rows send. */
export const oneJobForm = 'one-job'

/** The list's actions, for this job alone. Deleting asks for confirmation first. */
function JobMenu({ job, registry }: { job: JobRow; registry: RegistryName }) {
  return (
    <RowMenu id={`menu-${job.name}`} label={`More for ${taskTitle(job.task)} ${shortName(job.name)}`}>
      <a href={jobAddress(job.name)}>View job</a>
      {selectionActs[registry].map(({ action, label }) =>
        action === 'delete' ? (
          <a key={action} className="menu-danger" href={jobActionAddress(job.name, action)}>
            {label}
          </a>
        ) : (
          <button key={action} type="submit" form={oneJobForm} formAction={jobActionAddress(job.name, action)}>
            {label}
          </button>
        ),
      )}
    </RowMenu>
  )
}

function Row({ job, hasErrors, now, registry, timeZone, selection }: RowProps) {
  const ran = ranFor(job, now)
  const { done, total, label } = job.progress
  return (
    <tr data-job={job.name}>
      <td className="choice">
        <input
          type="checkbox"
          name="_selected_action"
          value={job.name}
          aria-label={`Select ${taskTitle(job.task)} ${job.name}`}
          checked={selection.chosen.has(job.name)}
          onChange={(event) => {
            const { nativeEvent } = event
            const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
            selection.press(job.name, event.target.checked, isRange)
          }}
        />
      </td>
      <td data-label="Callable">
        <span className="callable" title={job.arguments}>
          <a className="strong" href={jobAddress(job.name)}>
            {taskTitle(job.task)}
          </a>{' '}
          <span className="arguments tiny muted">{job.arguments}</span>
        </span>
      </td>
      <td data-label="ID">
        <span className="job-name muted" title={job.name}>
          {shortName(job.name)}
        </span>
      </td>
      {hasErrors ? (
        <td data-label="Error">
          <span className="job-error" title={job.error ?? undefined}>
            {job.error === null || job.error === '' ? '–' : job.error}
          </span>
        </td>
      ) : null}
      <td data-label="Status" className={isStateInHeading(registry) ? 'more' : undefined}>
        <span className="job-state">
          <Badge tone={stateTone(job.status)}>{job.status}</Badge>
          {job.status === 'started' && total > 0 ? (
            <progress className="tiny-progress" value={Math.min(done, total)} max={total} aria-label={label} />
          ) : null}
        </span>
      </td>
      <td data-label="Worker">
        {job.worker === null ? (
          '–'
        ) : (
          <a className="job-name" href={workerAddress(job.worker)} title={job.worker}>
            {job.worker}
          </a>
        )}
      </td>
      <td data-label="Ran for" className="cell-end">
        {ran === null ? '–' : measureText(ran)}
      </td>
      {times.map(({ name, label: head }) => (
        <td key={name} data-label={head} className={name === mainTimes[registry] ? 'cell-end' : 'cell-end more'}>
          {job[name] === null ? (
            '–'
          ) : (
            <RelativeTime at={job[name]} timeZone={timeZone} title={timelineText(job, timeZone)} />
          )}
        </td>
      ))}
      <td className="row-end">
        <JobMenu job={job} registry={registry} />
      </td>
    </tr>
  )
}

/** If all jobs of a list have the same state, the heading says it. */
const isStateInHeading = (registry: RegistryName): boolean => registry !== 'finished' && registry !== 'active'

/** Selects the whole page. It needs a script, so it is hidden without one. */
function ChooseAll({ jobs, selection }: { jobs: readonly JobRow[] } & Pick<TableProps, 'selection'>) {
  const isHydrated = useHydrated()
  const count = selection.chosen.size
  if (!isHydrated) return <span className="hidden-visually">Select</span>
  return (
    <input
      type="checkbox"
      aria-label="Select all jobs on this page"
      checked={count === jobs.length}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && count < jobs.length
      }}
      onChange={(event) => selection.pressAll(event.target.checked)}
    />
  )
}

/** Jobs of one list, each with a checkbox. Less important columns are shown on request. */
export function JobTable({ jobs, ...table }: TableProps & { jobs: readonly JobRow[] }) {
  const { registry, selection } = table
  const now = useNow()
  const hasErrors = jobs.some(({ error }) => error !== null && error !== '')
  return (
    <div className="wide">
      <table className="table table-dense table-figures table-jobs">
        <thead>
          <tr>
            <th scope="col" className="choice">
              <ChooseAll jobs={jobs} selection={selection} />
            </th>
            <th scope="col">Callable</th>
            <th scope="col">ID</th>
            {hasErrors ? <th scope="col">Error</th> : null}
            <th scope="col" className={isStateInHeading(registry) ? 'more' : undefined}>
              Status
            </th>
            <th scope="col">Worker</th>
            <th scope="col" className="cell-end">
              Ran for
            </th>
            {times.map(({ name, label }) => (
              <th key={name} scope="col" className={name === mainTimes[registry] ? 'cell-end' : 'cell-end more'}>
                {label}
              </th>
            ))}
            <th className="row-end">
              <span className="hidden-visually">More</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Row key={job.name} job={job} hasErrors={hasErrors} now={now} {...table} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
