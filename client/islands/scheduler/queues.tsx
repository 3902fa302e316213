import { useMemo, useState } from 'react'
import type { MonthCost, SentTimes } from '../../../src/class-tracker/alerts/contract.ts'
import type { QueuesProps } from '../../../src/scheduler/contract.ts'
import { LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { livePath, queuesAddress } from './addresses.ts'
import { liveConnection } from './live-connection.ts'
import { Failures } from './failures.tsx'
import { HealthFigures } from './health-figures.tsx'
import { PausedNote } from './paused-note.tsx'
import { QueueTable } from './queue-table.tsx'
import { ScheduleTable } from './schedule-table.tsx'
import { logInAddress } from './texts.ts'
import { Throughput } from './throughput.tsx'

/** How long messages took and what they cost. */
function SentTimesCard({ times, month }: { times: readonly SentTimes[]; month: readonly MonthCost[] }) {
  return (
    <section className="card" aria-labelledby="sent-times">
      <div className="card-head">
        <h2 id="sent-times">From seat to message</h2>
        <p className="muted small">{sentTimesNote}</p>
      </div>
      {times.length === 0 ? <EmptyState small title="No seat has opened yet." /> : <SentTimesTable times={times} />}
      <MonthCosts month={month} />
    </section>
  )
}

export function Island({ props, context }: IslandProps<QueuesProps>) {
  const [shown, setShown] = useState(props)
  const names = props.queues.map(({ name }) => name).join(' ')
  const connection = useMemo(() => liveConnection(names.split(' ').map((name) => livePath(name))), [names])
  const { liveness } = useLivePage<QueuesProps>({ context, connection, onPage: (page) => setShown(page.props) })
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <h1>Scheduler</h1>
        </div>
        <div className="row">
          <LiveMark liveness={liveness} logIn={logInAddress(context.path)} />
          <LinkButton href={`${queuesAddress}stats.json`}>View as JSON</LinkButton>
        </div>
      </div>
      {shown.queues.map((queue) => (
        <PausedNote key={queue.name} queue={queue} context={context} />
      ))}
      <HealthFigures
        health={shown.health}
        arePollsPaused={shown.queues.some(({ name, paused }) => paused && name === 'polls')}
        timeZone={context.time_zone}
      />
      <Failures failures={shown.failures} context={context} />
      <Throughput
        title="Throughput"
        steps={shown.chart}
        span={shown.chart_span}
        hrefOf={(chart) => (chart === 'day' ? '?chart=day' : '?')}
        timeZone={context.time_zone}
      />
      <QueueTable queues={shown.queues} context={context} />
      <SentTimesCard times={shown.health.sent_times} month={shown.health.month} />
      <ScheduleTable schedules={shown.schedules} context={context} />
    </div>
  )
}
