import { useMemo, useState } from 'react'
import type { MonthCost, SentTimes } from '../../../src/class-tracker/alerts/contract.ts'
import type { QueuesProps } from '../../../src/scheduler/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { logInHref } from '../../components/log-in-href.ts'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { livePath } from './addresses.ts'
import { Answer } from './answer.tsx'
import { liveConnection } from '#in-browser/islands/scheduler/live-connection.ts'
import { Failures } from './failures.tsx'
import { HealthFigures } from './health-figures.tsx'
import { QueueTable } from './queue-table.tsx'
import { ScheduleTable } from './schedule-table.tsx'
import { sizeText } from './texts.ts'
import { Throughput, TimePerJob } from './throughput.tsx'

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
  const { liveness } = useLivePage<QueuesProps>({ connection, onPage: (page) => setShown(page.props) })
  const { bytes, limit_bytes: limit } = shown.health.database
  return (
    <div className="stack stack-large scheduler">
      <div className="page-head">
        <div>
          <h1>Scheduler</h1>
        </div>
        <div className="row">
          <LiveMark liveness={liveness} logIn={logInHref(context.path, context.path)} />
        </div>
      </div>
      <Answer queues={shown.queues} health={shown.health} context={context} />
      <HealthFigures
        health={shown.health}
        arePollsPaused={shown.queues.some(({ name, paused }) => paused && name === 'polls')}
      />
      <Throughput
        title="Throughput"
        steps={shown.chart}
        span={shown.chart_span}
        hrefOf={(chart) => (chart === 'day' ? '?chart=day' : '?')}
        timeZone={context.time_zone}
      />
      <Failures failures={shown.failures} sources={shown.health.unhealthy} context={context} />
      <QueueTable queues={shown.queues} context={context} />
      <TimePerJob steps={shown.chart} timeZone={context.time_zone} />
      <SentTimesCard times={shown.health.sent_times} month={shown.health.month} />
      <ScheduleTable schedules={shown.schedules} context={context} />
      {bytes === null ? null : (
        <p className="muted small">
          Database: {sizeText(bytes)} of {sizeText(limit)}.
        </p>
      )}
    </div>
  )
}
