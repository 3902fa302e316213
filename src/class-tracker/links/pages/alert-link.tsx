import { Button } from '../../../../client/components/button.tsx'
import { PostForm } from '../../../../client/components/post-form.tsx'
import { PushOffer } from '../../../../client/components/push-offer.tsx'
import type { PageContext } from '../../../web/contract.ts'
import { nameOf, instructionOf, numberLabel } from '../../courses/section-row.ts'
import type { LinkPage, LinkRow, OtherSection } from '../find-link.ts'
import { Age } from '../../../../client/components/age.tsx'
import { AlertActs, pausedText } from './alert-acts.tsx'
import { AlertDetails } from './alert-details.tsx'
import { isOpenNow, NumberToType, SeatsNow } from './alert-seats.tsx'
import { readableTimes } from './readable-text.ts'

interface AlertLinkPageProps extends LinkPage {
  code: string
  /** ms since epoch */
  now: number
  context: PageContext
  /** The key browsers subscribe with; null if push is not set up. */
  pushKey: string | null
}

/** The first page that a notified person sees. It needs no script. */
export function AlertLinkPage({ rows, servers, others, ...rest }: AlertLinkPageProps) {
  const [only, ...more] = rows
  const after =
    only?.contact_id === null ? (
      <p className="muted small">
        The phone number or address that got this message was removed or changed, so nothing can be changed here.
      </p>
    ) : (
      <ForAll rows={rows} {...rest} />
    )
  return (
    <div className="seat-alerts">
      {rows.map((row) => (
        <article
          key={row.section_id}
          className={isOpenNow(row, rest.now) ? 'seat-alert seat-alert-open' : 'seat-alert'}
        >
          <SeatAlertHead row={row} />
          <div className="seat-alert-part">
            <div className="card">
              <SeatsNow row={row} now={rest.now} timeZone={rest.context.time_zone} />
              <NumberToType row={row} />
            </div>
            <AlertActs row={row} {...rest} />
            <OtherSections row={row} others={others.get(row.section_id) ?? []} {...rest} />
          </div>
          <div className="seat-alert-part">
            <AlertDetails row={row} server={servers.get(row.course_id) ?? null} />
            {row === only && more.length === 0 && after}
          </div>
        </article>
      ))}
      {more.length > 0 && after}
    </div>
  )
}

function SeatAlertHead({ row }: { row: LinkRow }) {
  return (
    <header>
      <h1>{nameOf(row)}</h1>
      <p>{row.section_topic || row.course_title}</p>
      <p className="muted small">
        {row.term_name} · {row.school_label}
      </p>
    </header>
  )
}

/** Below all classes: an offer of notifications on this device, and the button that stops all messages. */
function ForAll({ rows, code, context, pushKey }: Omit<AlertLinkPageProps, 'servers' | 'others'>) {
  const isStopped = rows.some(({ opted_out_at }) => opted_out_at !== null)
  const pausedUntil = rows[0]?.paused_until ?? null
  return (
    <>
      {pausedUntil !== null && !isStopped && (
        <p className="message message-warning">{`Messages are ${pausedText(pausedUntil, context.time_zone)}.`}</p>
      )}
      {pushKey !== null && !isStopped && (
        <PushOffer pushKey={pushKey} by={{ name: 'code', value: code }} context={context} isSecond />
      )}
      <PostForm context={context} action={`/s/${code}/stop_all/`} className="seat-stop">
        {isStopped ? (
          <p>Messages to this address are stopped. To get them again, {howToResume(rows)}</p>
        ) : (
          <Button kind="danger" type="submit">
            Stop all messages
          </Button>
        )}
      </PostForm>
    </>
  )
}

function howToResume(rows: readonly LinkRow[]): string {
  const channel = rows[0]?.channel
  if (channel === 'phone') return 'reply START to our latest text.'
  // A notification has no such link.
  if (channel === 'push') return 'ask the person who set up your alerts for the link to your page.'
  return 'open the “Unsubscribe” link in our latest message.'
}

interface OtherSectionsProps {
  row: LinkRow
  others: readonly OtherSection[]
  /** ms since epoch */
  now: number
  context: PageContext
}

/** Other sections of the class with a seat, for people whose section is full. */
function OtherSections({ row, others, now, context }: OtherSectionsProps) {
  const [first] = others
  if (!first) return null
  const id = `others-${row.section_id}`
  return (
    <section className="stack stack-small" aria-labelledby={id}>
      <h2 id={id}>Other sections with seats</h2>
      <dl className="seat-details">
        {others.map((other) => (
          <div key={other.number}>
            <dt>{other.section_code || other.number}</dt>
            <dd>
              {[`${numberLabel(row.source_kind)} ${other.number}`, seatsText(other), timesText(other)]
                .filter((text) => text !== '')
                .join(' · ')}
              <CheckedAt at={other.observed_at} now={now} timeZone={context.time_zone} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function CheckedAt({ at, now, timeZone }: { at: number | null; now: number; timeZone: string }) {
  if (at === null) return null
  return (
    <>
      {' · '}
      <span className="muted whole">
        checked <Age at={at} now={now} timeZone={timeZone} />
      </span>
    </>
  )
}

const seatsText = ({ seats }: OtherSection): string => (seats === null ? '' : `${seats} left`)

const timesText = ({ instruction }: OtherSection): string =>
  [...new Set(instructionOf(instruction).map(({ days_times }) => readableTimes(days_times)))].join('; ')
