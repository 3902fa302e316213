import { useMemo, useState } from 'react'
import type { JobProps } from '../../../src/scheduler/contract.ts'
import { LiveMark } from '../../components/live-mark.tsx'
import { Progress } from '../../components/progress.tsx'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { listAddress, livePath } from './addresses.ts'
import { Code } from './code.tsx'
import { JobActions } from './job-actions.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobHead } from './job-head.tsx'
import { JobLines } from './job-lines.tsx'
import { JobRuns } from './job-runs.tsx'
import { liveConnection } from './live-connection.ts'
import { registryOf } from './registry-of.ts'
import { logInAddress, registryTitles } from './texts.ts'
import { Trail } from './trail.tsx'

/** To whoever asks for JSON the page's own address answers the job's progress; with this the whole page. */
const dataPath = () => `${location.pathname}?page=1`

const written = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

export function Island({ props, context }: IslandProps<JobProps>) {
  const [shown, setShown] = useState(props)
  const { name, queue } = props.job
  const connection = useMemo(() => liveConnection([livePath(queue, name)]), [queue, name])
  const { liveness } = useLivePage<JobProps>({ context, connection, onPage: (page) => setShown(page.props), dataPath })
  const { job } = shown
  const { done, total, label } = job.progress
  const registry = registryOf(job.status)
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <Trail
            steps={[{ label: `${registryTitles[registry]} jobs of ${queue}`, href: listAddress(queue, registry) }]}
          />
          <JobHead job={job} />
        </div>
        <div className="row">
          <LiveMark liveness={liveness} logIn={logInAddress(context.path)} />
          <JobActions name={name} actions={job.actions} context={context} />
        </div>
      </div>
      {job.status === 'started' && (total > 0 || label !== '') ? (
        <Progress done={done} total={total} label={label === '' ? 'Running' : label} />
      ) : null}
      {job.error === null || job.error === '' ? null : <Code title="Error" text={job.error} danger />}
      <JobFacts job={job} timeZone={context.time_zone} />
      <div className="halves">
        <Code title="Arguments" text={written(job.input)} />
        {job.result === null ? null : <Code title="Last result" text={written(job.result)} />}
      </div>
      <JobLines lines={job.lines} timeZone={context.time_zone} />
      <JobRuns runs={job.runs} timeZone={context.time_zone} />
    </div>
  )
}
