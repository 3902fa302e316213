import type { JobListProps } from '../../../src/scheduler/contract.ts'
import { Badge } from '../../components/badge.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import type { IslandProps } from '../index.ts'
import { BulkLinks } from './bulk-links.tsx'
import { JobSelection } from './job-selection.tsx'
import { ListPages } from './list-pages.tsx'
import { ListSearchForm } from './list-search-form.tsx'
import { Places } from './places.tsx'
import { PauseForm } from './queue-table.tsx'
import { RegistryTabs } from './registry-tabs.tsx'
import { RunningAct } from './running-act.tsx'
import { listTitle } from './texts.ts'

export function Island({ props, context }: IslandProps<JobListProps>) {
  const { queue, registry, running } = props
  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1>{listTitle(queue.counts[registry], registry, queue.name)}</h1>
          {queue.paused ? (
            <p className="row">
              <Badge tone="waitlisted">Paused</Badge> Jobs are kept, none starts.
            </p>
          ) : null}
        </div>
        <PauseForm queue={queue} context={context} />
      </div>
      <Places current={null} />
      <RegistryTabs queue={queue} current={registry} />
      {running === null ? null : <RunningAct running={running} />}
      <ListSearchForm props={props} />
      <BulkLinks props={props} />
      <JobSelection props={props} context={context} />
      <ListPages props={props} />
      <section className="card card-body stack" aria-labelledby="hour">
        <h2 id="hour">The last hour of {queue.name}</h2>
        <TimeChart steps={props.chart} timeZone={context.time_zone} />
      </section>
    </div>
  )
}
