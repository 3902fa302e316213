import type { Health, QueuesProps } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { countText } from '../../components/count-text.ts'
import { Icon } from '../../components/icon.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { Moment } from './moment.tsx'
import { PausedNote } from './paused-note.tsx'
import { sizeText } from './texts.ts'

type Unhealthy = Health['unhealthy'][number]

interface AnswerProps {
  queues: QueuesProps['queues']
  health: Health
  context: PageContext
}

/** The first line of the page: each problem with what can be done about it, or that all is well. */
export function Answer({ queues, health, context }: AnswerProps) {
  const paused = queues.filter((queue) => queue.paused)
  const { unhealthy, database } = health
  if (paused.length + unhealthy.length === 0 && !database.is_nearly_full) return <AllIsWell health={health} />
  return (
    <div className="answers">
      {paused.map((queue) => (
        <PausedNote key={queue.name} queue={queue} context={context} />
      ))}
      {unhealthy.map((source) => (
        <UnhealthySource key={source.id} source={source} timeZone={context.time_zone} />
      ))}
      {database.is_nearly_full && database.bytes !== null ? (
        <MessageBox tone="warning" action={<a href="/admin/settings/">Settings</a>}>
          <strong>The database is nearly full:</strong> {sizeText(database.bytes)} of {sizeText(database.limit_bytes)}.
          Keep data for fewer days, or raise the limit.
        </MessageBox>
      ) : null}
    </div>
  )
}

function UnhealthySource({ source, timeZone }: { source: Unhealthy; timeZone: string }) {
  return (
    <MessageBox tone="warning" action={<a href="/class_tracker/manage_course_list/">View source</a>}>
      <strong>{source.name}:</strong> {source.error.split('\n', 1)[0]}
      {source.since === null ? null : (
        <>
          {' '}
          Last read <Moment at={source.since} timeZone={timeZone} />.
        </>
      )}
    </MessageBox>
  )
}

/** "All is well. 6 of 6 sources were checked on schedule, and none of 46 messages failed in the last 24 hours." */
function AllIsWell({ health }: Pick<AnswerProps, 'health'>) {
  const { sources_watched: watched, sources_on_time: onTime } = health
  const { deliveries_today: sent, deliveries_failed_today: failed } = health
  if (failed > 0 || onTime < watched) return null
  const checked =
    watched === 0
      ? 'No sections are being watched'
      : `${countText(watched)} of ${countText(watched)} sources were checked on schedule`
  const delivered =
    sent === 0
      ? 'no messages were sent in the last 24 hours'
      : `none of ${countText(sent)} messages failed in the last 24 hours`
  return (
    <p className="all-well">
      <Icon name="check" size={16} />
      <span>
        <strong>All is well.</strong> {`${checked}, and ${delivered}.`}
      </span>
    </p>
  )
}
