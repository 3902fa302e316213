import { useMemo, useState } from 'react'
import { liveConnection } from '#in-browser/islands/scheduler/live-connection.ts'
import {
  type JobAction,
  type JobPage,
  type JobProps,
  type JobRun,
  type RegistryName,
  registryNames,
} from '../../../src/scheduler/contract.ts'
import { counted } from '../../components/count-text.ts'
import { Badge } from '../../components/badge.tsx'
import { Crumbs } from '../../components/crumbs.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { Progress } from '../../components/progress.tsx'
import { absoluteText, measureText } from '../../components/time-text.ts'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { jobActionAddress, listAddress, livePath, toQueues, workerAddress } from './addresses.ts'
import { JobFacts } from './job-facts.tsx'
import { registryTitles, stateTone, taskTitle } from './texts.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Moment } from './moment.tsx'
import { RunOutcome } from './outcome.tsx'
import type { PageContext } from '../../../src/web/contract.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { PostForm } from '../../components/post-form.tsx'

/** The list that contains jobs in this state. */
export function registryOf(status: string): RegistryName {
  if (status === 'started') return 'active'
  if (status === 'stopped') return 'finished'
  return registryNames.find((registry) => registry === status) ?? 'queued'
}

const MAX_LINES = 14

/**
 * Text from a program. It breaks anywhere if necessary, so that nothing scrolls sideways, and is folded after
 * {@link MAX_LINES} lines.
 */
function Code({ title, text, danger = false }: { title: string; text: string; danger?: boolean }) {
  const className = danger ? 'code code-danger' : 'code'
  const lines = text.trimEnd().split('\n')
  // Folding away a single line would save no room.
  const rest = lines.length > MAX_LINES + 1 ? lines.splice(MAX_LINES) : []
  return (
    <section className="stack stack-small" aria-label={title}>
      <h2>{title}</h2>
      <pre className={className}>{lines.join('\n')}</pre>
      {rest.length === 0 ? null : (
        <details>
          <summary>Show {counted(rest.length, 'more line')}</summary>
          <pre className={className}>{rest.join('\n')}</pre>
        </details>
      )}
    </section>
  )
}

function JobHead({ job }: { job: JobPage }) {
  return (
    <>
      <h1 className="job-title">{taskTitle(job.task)}</h1>
      <p className="row" role="status">
        <Badge tone={stateTone(job.status)}>{job.status}</Badge>
        {job.stop_asked && job.status === 'started' ? <Badge tone="waitlisted">stopping</Badge> : null}
        <span className="small job-id">{job.name}</span>
      </p>
    </>
  )
}

/** The job's log, oldest line first. New lines arrive while it runs. */
function JobLines({ lines, timeZone }: { lines: JobPage['lines']; timeZone: string }) {
  if (lines.length === 0) return null
  return (
    <section className="stack stack-small" aria-labelledby="lines">
      <h2 id="lines">Log</h2>
      <ol className="code" role="log" aria-labelledby="lines">
        {lines.map(({ at, line }, index) => (
          <li key={`${at} ${index}`}>
            <time className="muted" dateTime={at}>
              {absoluteText(at, timeZone, true)}
            </time>{' '}
            {line}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The page's own address answers a request for JSON with the job's progress, but with `page=1`, with the whole page. */
const dataPath = () => `${location.pathname}?page=1`

const written = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

export function Island({ props, context }: IslandProps<JobProps>) {
  const [shown, setShown] = useState(props)
  const { name, queue } = props.job
  const connection = useMemo(() => liveConnection([livePath(queue, name)]), [queue, name])
  const { liveness } = useLivePage<JobProps>({ connection, onPage: (page) => setShown(page.props), dataPath })
  const { job } = shown
  const { done, total, label } = job.progress
  const registry = registryOf(job.status)
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <Crumbs
            steps={[
              toQueues,
              { label: `${registryTitles[registry]} jobs in ${queue}`, href: listAddress(queue, registry) },
            ]}
          />
          <JobHead job={job} />
        </div>
        <div className="row">
          <LiveMark liveness={liveness} path={context.path} />
          <JobActions name={name} actions={job.actions} context={context} />
        </div>
      </div>
      {job.status === 'started' && (total > 0 || label !== '') ? (
        <Progress done={done} total={total} label={label === '' ? 'Running' : label} />
      ) : null}
      <div className="job-page">
        <div className="stack stack-large">
          {job.error === null || job.error === '' ? null : <Code title="Error" text={job.error} danger />}
          <Code title="Arguments" text={written(job.input)} />
          <JobRuns runs={job.runs} timeZone={context.time_zone} />
          <JobLines lines={job.lines} timeZone={context.time_zone} />
          {job.result === null ? null : <Code title="Last result" text={written(job.result)} />}
        </div>
        <JobFacts job={job} timeZone={context.time_zone} />
      </div>
    </div>
  )
}

/** Every attempt of the job that is still stored, newest first. */
function JobRuns({ runs, timeZone }: { runs: readonly JobRun[]; timeZone: string }) {
  return (
    <section className="card" aria-labelledby="runs">
      <div className="card-head">
        <h2 id="runs">All results</h2>
      </div>
      <DataTable
        className="table-dense table-runs"
        columns={[
          { label: 'Run', cell: ({ attempt }) => attempt },
          { label: 'Result', cell: (run) => <RunOutcome run={run} /> },
          { label: 'Started', cell: ({ started_at: at }) => <Moment at={at} timeZone={timeZone} /> },
          {
            label: 'Ran for',
            cell: ({ started_at: from, ended_at: to }) =>
              to === null ? '–' : measureText(Date.parse(to) - Date.parse(from)),
          },
          { label: 'Worker', cell: ({ worker }) => <a href={workerAddress(worker)}>{worker}</a> },
        ]}
        rows={runs}
        keyOf={({ attempt }) => attempt}
        empty={<EmptyState small title="Not run yet." />}
      />
    </section>
  )
}

const actionLabels: Record<JobAction, string> = {
  enqueue: 'Enqueue',
  requeue: 'Requeue',
  cancel: 'Cancel',
  stop: 'Stop',
  delete: 'Delete',
}

/** The actions that the job's state allows. Deleting asks for confirmation; the others run immediately. */
function JobActions({ name, actions, context }: Pick<JobPage, 'name' | 'actions'> & { context: PageContext }) {
  return (
    <div className="row">
      {actions.map((action) =>
        action === 'delete' ? (
          <LinkButton key={action} kind="danger" href={jobActionAddress(name, action)}>
            {actionLabels[action]}
          </LinkButton>
        ) : (
          <PostForm context={context} key={action} action={jobActionAddress(name, action)}>
            <Button
              type="submit"
              kind={action === 'requeue' ? 'primary' : 'plain'}
              {...(action === 'requeue' && { 'data-key': 't', 'aria-keyshortcuts': 't' })}
            >
              {actionLabels[action]}
            </Button>
          </PostForm>
        ),
      )}
    </div>
  )
}
