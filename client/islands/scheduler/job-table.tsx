import type { JobRow } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { useNow } from '../../components/use-now.ts'
import { useRunning } from '../../components/use-running.ts'
import { measureText } from '../../components/time-text.ts'
import { jobAddress, workerAddress } from './addresses.ts'
import { Moment } from './moment.tsx'
import { ranFor, shortName, stateTone } from './texts.ts'
import type { useSelection } from './use-selection.ts'

type Selection = ReturnType<typeof useSelection>

interface RowProps {
  job: JobRow
  timeZone: string
  now: number | null
  selection: Selection
}

function Row({ job, timeZone, now, selection }: RowProps) {
  const ran = ranFor(job, now)
  const { done, total, label } = job.progress
  return (
    <tr data-job={job.name}>
      <td className="choice">
        <input
          type="checkbox"
          name="_selected_action"
          value={job.name}
          aria-label={`Select ${job.task} ${job.name}`}
          checked={selection.chosen.has(job.name)}
          onChange={(event) => {
            const { nativeEvent } = event
            const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
            selection.press(job.name, event.target.checked, isRange)
          }}
        />
      </td>
      <td data-label="ID">
        <a className="job-name" href={jobAddress(job.name)} title={job.name}>
          {shortName(job.name)}
        </a>
      </td>
      <td data-label="Callable">
        <span className="callable">
          <span className="strong">{job.task}</span>
          <span className="arguments tiny muted" title={job.arguments}>
            {job.arguments}
          </span>
          {job.error === null || job.error === '' ? null : (
            <span className="source-error tiny first-line" title={job.error}>
              {job.error}
            </span>
          )}
        </span>
      </td>
      <td data-label="Status">
        <span>
          <Badge tone={stateTone(job.status)}>{job.status}</Badge>
          {job.status === 'started' && total > 0 ? (
            <progress className="tiny-progress" value={Math.min(done, total)} max={total} aria-label={label} />
          ) : null}
        </span>
      </td>
      <td data-label="Created">
        <Moment at={job.created_at} timeZone={timeZone} />
      </td>
      <td data-label="Scheduled">
        <Moment at={job.due_at} timeZone={timeZone} />
      </td>
      <td data-label="Enqueued">
        <Moment at={job.queued_at} timeZone={timeZone} />
      </td>
      <td data-label="Ended">
        <Moment at={job.ended_at} timeZone={timeZone} />
      </td>
      <td data-label="Ran for">{ran === null ? '–' : measureText(ran)}</td>
      <td data-label="Worker">
        {job.worker === null ? (
          '–'
        ) : (
          <a className="job-name" href={workerAddress(job.worker)} title={job.worker}>
            {job.worker}
          </a>
        )}
      </td>
    </tr>
  )
}

/** Chooses the whole page. It needs a script; without one it is not there. */
function ChooseAll({ jobs, selection }: { jobs: readonly JobRow[]; selection: Selection }) {
  const isRunning = useRunning()
  const count = selection.chosen.size
  if (!isRunning) return <span className="hidden-visually">Select</span>
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

/** Jobs of one list, newest first, each with a box to choose it. */
export function JobTable({
  jobs,
  timeZone,
  selection,
}: {
  jobs: readonly JobRow[]
  timeZone: string
  selection: Selection
}) {
  const now = useNow()
  return (
    <div className="wide">
      <table className="table table-dense table-figures table-jobs">
        <thead>
          <tr>
            <th scope="col" className="choice">
              <ChooseAll jobs={jobs} selection={selection} />
            </th>
            <th scope="col">ID</th>
            <th scope="col">Callable</th>
            <th scope="col">Status</th>
            <th scope="col">Created</th>
            <th scope="col">Scheduled</th>
            <th scope="col">Enqueued</th>
            <th scope="col">Ended</th>
            <th scope="col">Ran for</th>
            <th scope="col">Worker</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Row key={job.name} job={job} timeZone={timeZone} now={now} selection={selection} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
