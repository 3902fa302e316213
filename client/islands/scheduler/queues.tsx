import { useMemo, useState } from 'react'
import { liveConnection } from '#in-browser/islands/scheduler/live-connection.ts'
import type { MonthCost, SentTimes } from '../../../src/class-tracker/alerts/contract.ts'
import type { Health, QueuesProps } from '../../../src/scheduler/contract.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LiveMark } from '../../components/live-mark.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { MonthCosts, sentTimesNote, SentTimesTable } from '../../components/sent-times.tsx'
import { useLivePage } from '../../use-live-page.ts'
import type { IslandProps } from '../index.ts'
import { livePath } from './addresses.ts'
import { Failures } from './failures.tsx'
import { HealthFigures } from './health-figures.tsx'
import { QueueTable } from './queue-table.tsx'
import { ScheduleTable } from './schedule-table.tsx'
import { sizeText } from './texts.ts'
import { Throughput, TimePerJob } from './throughput.tsx'
import type { PageContext } from '../../../src/web/contract.ts'
import { counted, countText } from '../../components/count-text.ts'
import { Icon } from '../../components/icon.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { PausedNote } from './pause-form.tsx'

function SentTimesCard({ times, month }: { times: readonly SentTimes[]; month: readonly MonthCost[] }) {
  return (
    <section className="card" aria-labelledby="sent-times">
      <div className="card-head">
        <h2 id="sent-times">From seat to message</h2>
        <p className="muted small">{sentTimesNote}</p>
      </div>
      <SentTimesTable times={times} empty={<EmptyState small title="No seat has opened yet." />} />
      <MonthCosts month={month} />
    </section>
  )
}

export function Island({ props, context }: IslandProps<QueuesProps>) {
  const [shown, setShown] = useState(props)
  const names = props.queues.map(({ name }) => name).join(' ')
  const connection = useMemo(() => liveConnection(names.split(' ').map((name) => livePath(name))), [names])
  const { liveness } = useLivePage<QueuesProps>({ connection, onPage: (page) => setShown(page.props) })
  const { health } = shown
  return (
    <div className="stack stack-large scheduler">
      <PageHead title="Scheduler">
        <div className="row">
          <LiveMark liveness={liveness} path={context.path} />
        </div>
      </PageHead>
      <Answer shown={shown} context={context} />
      {health && (
        <HealthFigures
          health={health}
          arePollsPaused={shown.queues.some(({ name, paused }) => paused && name === 'polls')}
        />
      )}
      <Throughput
        steps={shown.chart}
        span={shown.chart_span}
        hrefOf={(chart) => (chart === 'day' ? '?chart=day' : '?')}
        timeZone={context.time_zone}
      />
      <Failures failures={shown.failures} sources={health?.unhealthy ?? []} context={context} />
      <QueueTable queues={shown.queues} context={context} />
      <TimePerJob steps={shown.chart} timeZone={context.time_zone} />
      {health && <SentTimesCard times={health.sent_times} month={health.month} />}
      <ScheduleTable schedules={shown.schedules} context={context} />
      {health && health.database.bytes !== null && (
        <p className="muted small">
          Database: {sizeText(health.database.bytes)} of {sizeText(health.database.limit_bytes)}.
        </p>
      )}
    </div>
  )
}

/** The first lines of the page: what is not well, with what can be done about it, or that all is well. */
function Answer({ shown: { queues, problems, health }, context }: { shown: QueuesProps; context: PageContext }) {
  const paused = queues.filter((queue) => queue.paused)
  const database = health?.database
  if (paused.length === 0 && !database?.is_nearly_full && problems.length === 0)
    return health?.unhealthy.length === 0 ? <AllIsWell health={health} /> : null
  return (
    <div className="answers">
      {paused.map((queue) => (
        <PausedNote key={queue.name} queue={queue} context={context} />
      ))}
      {problems.length === 0 ? null : <MessageBox tone="warning">{problems.join(' ')}</MessageBox>}
      {database?.is_nearly_full && database.bytes !== null ? (
        <MessageBox tone="warning" action={<a href="/admin/settings/">Settings</a>}>
          <strong>The database is nearly full:</strong> {sizeText(database.bytes)} of {sizeText(database.limit_bytes)}.
          Keep data for fewer days, or raise the limit.
        </MessageBox>
      ) : null}
    </div>
  )
}

function deliveredText(sent: number): string {
  if (sent === 0) return 'no messages were sent in the last 24 hours'
  if (sent === 1) return 'the only message in the last 24 hours did not fail'
  return `none of ${countText(sent)} messages failed in the last 24 hours`
}

/** "All is well. 6 of 6 sources were checked on schedule, and none of 46 messages failed in the last 24 hours." */
function AllIsWell({ health }: { health: Health }) {
  const { sources_watched: watched, sources_on_time: onTime } = health
  const { deliveries_24h: sent, deliveries_failed_24h: failed } = health
  if (failed > 0 || onTime < watched) return null
  const checked =
    watched === 0
      ? 'No sections are being watched'
      : `${countText(watched)} of ${counted(watched, 'source was', 'sources were')} checked on schedule`
  return (
    <p className="row small">
      <Icon name="check" size={16} />
      <span className="grow">
        <strong>All is well.</strong> {`${checked}, and ${deliveredText(sent)}.`}
      </span>
    </p>
  )
}
