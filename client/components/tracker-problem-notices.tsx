import type { PausedQueue, SourceNotice, UnreadSource } from '../../src/class-tracker/courses/contract.ts'
import type { PageContext } from '../../src/web/contract.ts'
import { Button } from './button.tsx'
import { counted } from './count-text.ts'
import { MessageBox } from './message-box.tsx'
import { PostForm } from './post-form.tsx'
import { AbsoluteTime } from './relative-time.tsx'
import { absoluteText, clockText, dayKey } from './time-text.ts'
import { useNow } from './use-now.ts'

interface TrackerProblemNoticesProps {
  paused: readonly PausedQueue[] | undefined
  unread?: readonly UnreadSource[] | undefined
  notices?: readonly SourceNotice[] | undefined
  context: PageContext
}

/** A time, without its date if it is today. */
function Since({ at, timeZone }: { at: string; timeZone: string }) {
  const now = useNow()
  const isToday = now !== null && dayKey(at, timeZone) === dayKey(new Date(now).toISOString(), timeZone)
  return <time dateTime={at}>{isToday ? clockText(at, timeZone) : absoluteText(at, timeZone)}</time>
}

/** While one of these queues is paused, no one is notified of open seats. */
const vital = new Set(['polls', 'alerts'])

/** What prevents the tracker from working: paused queues, sections that were not checked, notices about sources. */
export function TrackerProblemNotices({ paused = [], unread = [], notices = [], context }: TrackerProblemNoticesProps) {
  const { time_zone: timeZone, user } = context
  if (paused.length + unread.length + notices.length === 0) return null
  return (
    <div className="stack stack-small">
      {paused.map(({ queue, since, by, stops, until }) => (
        <MessageBox key={queue} tone={vital.has(queue) ? 'danger' : 'warning'} role="status">
          <strong>{stops}:</strong> the {queue} queue{' '}
          {since === null ? (
            'is paused'
          ) : (
            <>
              was paused <AbsoluteTime at={since} timeZone={timeZone} />
            </>
          )}
          {by && ` by ${by}`}. {until}{' '}
          {user.is_superuser && <a href={`/scheduler/queues/${queue}/queued/jobs`}>View queue</a>}
        </MessageBox>
      ))}
      {unread.map(({ id, name, sections, since }) => (
        <MessageBox key={id} tone="warning" role="status">
          {counted(sections, 'watched section')} at <strong>{name}</strong> {sections === 1 ? 'has' : 'have'} not been
          checked since <Since at={since} timeZone={timeZone} />. Seats may open there without an alert.{' '}
          <a href="/class_tracker/manage_course_list/">View source health</a>
        </MessageBox>
      ))}
      {notices.map(({ id, body }) => (
        <MessageBox
          key={id}
          tone="warning"
          role="status"
          action={
            <PostForm context={context} action={`/class_tracker/source_notices/${id}/dismiss/`}>
              <input type="hidden" name="next" value={context.path} />
              <Button kind="quiet" type="submit">
                Dismiss
              </Button>
            </PostForm>
          }
        >
          {body}
        </MessageBox>
      ))}
    </div>
  )
}
