import type { QueuesProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import type { IslandProps } from '../index.ts'
import { queuesAddress } from './addresses.ts'
import { Failures } from './failures.tsx'
import { HealthFigures } from './health-figures.tsx'
import { Places } from './places.tsx'
import { QueueTable } from './queue-table.tsx'
import { ScheduleTable } from './schedule-table.tsx'

export function Island({ props, context }: IslandProps<QueuesProps>) {
  const { queues, health, chart, failures, schedules } = props
  return (
    <div className="stack stack-large">
      <div className="page-head">
        <div>
          <h1>Scheduler</h1>
        </div>
        <LinkButton href={`${queuesAddress}stats.json`}>View as JSON</LinkButton>
      </div>
      <Places current="queues" />
      <HealthFigures health={health} timeZone={context.time_zone} />
      <section className="card card-body stack" aria-labelledby="hour">
        <h2 id="hour">The last hour</h2>
        <TimeChart steps={chart} timeZone={context.time_zone} />
      </section>
      <Failures failures={failures} context={context} />
      <QueueTable queues={queues} context={context} />
      <ScheduleTable schedules={schedules} context={context} />
    </div>
  )
}
