import type { JobProps } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Progress } from '../../components/progress.tsx'
import type { IslandProps } from '../index.ts'
import { JobActions } from './job-actions.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobLines } from './job-lines.tsx'
import { Places } from './places.tsx'
import { RunTable } from './run-table.tsx'
import { stateTone } from './texts.ts'

function Code({ title, text, danger = false }: { title: string; text: string; danger?: boolean }) {
  return (
    <section className="card card-body stack stack-small" aria-label={title}>
      <h2>{title}</h2>
      <pre className={danger ? 'code code-danger' : 'code'}>{text}</pre>
    </section>
  )
}

export function Island({ props, context }: IslandProps<JobProps>) {
  const { job, row, runs, lines } = props
  const timeZone = context.time_zone
  const { done, total, label } = job.progress
  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1 className="job-title">{row.task}</h1>
          <p className="row">
            <Badge tone={stateTone(job.status)}>{job.status}</Badge>
            {props.stop_asked ? <Badge tone="waitlisted">asked to stop</Badge> : null}
            <span className="small job-name">{job.name}</span>
          </p>
        </div>
        <JobActions name={job.name} actions={props.actions} context={context} />
      </div>
      <Places current={null} />
      {job.status === 'started' && (total > 0 || label !== '') ? (
        <Progress done={done} total={total} label={label === '' ? 'Running' : label} />
      ) : null}
      {props.error === null || props.error === '' ? null : <Code title="Error" text={props.error} danger />}
      <JobFacts props={props} timeZone={timeZone} />
      <div className="halves">
        <Code title="Arguments" text={props.input} />
        {props.result === null ? null : <Code title="Last result" text={props.result} />}
      </div>
      <section className="card" aria-labelledby="runs">
        <div className="card-head">
          <h2 id="runs">All results</h2>
        </div>
        {runs.length === 0 ? (
          <EmptyState small title="It has not run yet." />
        ) : (
          <RunTable runs={runs} timeZone={timeZone} ofOneJob />
        )}
      </section>
      <JobLines lines={lines} timeZone={timeZone} />
    </div>
  )
}
