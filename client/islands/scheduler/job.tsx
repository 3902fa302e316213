import { useCallback, useMemo, useRef, useState } from 'react'
import type { JobProps } from '../../../src/scheduler/contract.ts'
import type { LiveFrame } from '../../../src/scheduler/live/contract.ts'
import { LiveMark } from '../../components/live-mark.tsx'
import { Progress } from '../../components/progress.tsx'
import type { IslandProps } from '../index.ts'
import { listAddress, livePath } from './addresses.ts'
import { Code } from './code.tsx'
import { JobActions } from './job-actions.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobHead } from './job-head.tsx'
import { JobLines } from './job-lines.tsx'
import { JobRuns } from './job-runs.tsx'
import { isNewState, jobAfter } from './job-after.ts'
import { registryOf } from './registry-of.ts'
import { logInAddress, registryTitles } from './texts.ts'
import { Trail } from './trail.tsx'
import { useLive } from './use-live.ts'

/** To whoever asks for JSON the page's own address tells of the job alone; with this all of the page. */
const dataPath = () => `${location.pathname}?page=1`

const written = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

export function Island({ props, context }: IslandProps<JobProps>) {
  const [shown, setShown] = useState(props)
  const newest = useRef(props)
  const take = useCallback((after: JobProps) => {
    newest.current = after
    setShown(after)
  }, [])
  const onFrame = useCallback(
    (frame: LiveFrame, again: () => void) => {
      if (isNewState(newest.current, frame)) again()
      take(jobAfter(newest.current, frame))
    },
    [take],
  )
  const { name, queue } = props.job
  const paths = useMemo(() => [livePath(queue, { job: name })], [queue, name])
  const { state } = useLive<JobProps>({ context, paths, onFrame, onPage: take, dataPath })
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
          <LiveMark liveness={state} logIn={logInAddress(context.path)} />
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
