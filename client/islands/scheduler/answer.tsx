import type { Health, QueuesProps } from '../../../src/scheduler/contract.ts'
import type { PageContext } from '../../../src/web/contract.ts'
import { countText } from '../../components/count-text.ts'
import { Icon } from '../../components/icon.tsx'
import { MessageBox } from '../../components/message-box.tsx'
import { PausedNote } from './paused-note.tsx'
import { sizeText } from './texts.ts'

interface AnswerProps {
  queues: QueuesProps['queues']
  health: Health
  context: PageContext
}

/** The first lines of the page: what stops jobs, with what can be done about it, or that all is well. */
export function Answer({ queues, health, context }: AnswerProps) {
  const paused = queues.filter((queue) => queue.paused)
  const { unhealthy, database } = health
  if (paused.length === 0 && !database.is_nearly_full)
    return unhealthy.length === 0 ? <AllIsWell health={health} /> : null
  return (
    <div className="answers">
      {paused.map((queue) => (
        <PausedNote key={queue.name} queue={queue} context={context} />
      ))}
      {database.is_nearly_full && database.bytes !== null ? (
        <MessageBox tone="warning" icon="warning" action={<a href="/admin/settings/">Settings</a>}>
          <strong>The database is nearly full:</strong> {sizeText(database.bytes)} of {sizeText(database.limit_bytes)}.
          Keep data for fewer days, or raise the limit.
        </MessageBox>
      ) : null}
    </div>
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
      : `${countText(watched)} of ${countText(watched)} ${watched === 1 ? 'source was' : 'sources were'} checked on schedule`
  const delivered =
    sent === 0
      ? 'no messages were sent in the last 24 hours'
      : `none of ${countText(sent)} messages failed in the last 24 hours`
  return (
    <p className="row small">
      <Icon name="check" size={16} />
      <span className="grow">
        <strong>All is well.</strong> {`${checked}, and ${delivered}.`}
      </span>
    </p>
  )
}
