import { Fragment } from 'react'
import { Button, LinkButton } from '../../../client/components/button.tsx'
import { Icon } from '../../../client/components/icon.tsx'
import { PushOffer } from '../../../client/components/push-offer.tsx'
import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { MAX_SEATS, SeatPlan } from '../../../client/components/seat-plan.tsx'
import { absoluteText, clockText, durationText, relativeText } from '../../../client/components/time-text.ts'
import { iso } from '../../lib/moment.ts'
import { fairTurnsRule } from '../alerts/fair-turns.ts'
import { courseSectionOf } from '../courses/section-row.ts'
import { sectionLink } from '../courses/section-link.ts'
import { nameOf } from '../links/alert-link-props.ts'
import type { LinkRow } from '../links/find-link.ts'

interface AlertLinkPageProps {
  rows: readonly LinkRow[]
  code: string
  /** ms since epoch */
  now: number
  timeZone: string
  csrfToken: string
  /** The key browsers subscribe with; null where push is not set up. */
  pushKey: string | null
}

/** The first page that a notified person sees. It needs no script. */
export function AlertLinkPage({ rows, code, now, timeZone, csrfToken, pushKey }: AlertLinkPageProps) {
  const isStopped = rows.some(({ opted_out_at }) => opted_out_at !== null)
  return (
    <div className="seat-alerts">
      {rows.map((row) => (
        <SeatAlert key={row.section_id} {...{ row, code, now, timeZone, csrfToken }} />
      ))}
      {pushKey !== null && !isStopped && (
        <PushOffer pushKey={pushKey} by={{ name: 'code', value: code }} context={{ csrf_token: csrfToken }} isSecond />
      )}
      <form method="post" action={`/s/${code}/stop_all/`} className="seat-stop">
        <input type="hidden" name="csrf_token" value={csrfToken} />
        {isStopped ? (
          <p>Messages to this address are stopped. To get them again, {howToResume(rows)}</p>
        ) : (
          <Button kind="danger" type="submit">
            Stop all messages
          </Button>
        )}
      </form>
    </div>
  )
}

function howToResume(rows: readonly LinkRow[]): string {
  return rows.some(({ channel }) => channel === 'phone')
    ? 'reply START to our latest text.'
    : 'use “Unsubscribe” in our latest message: its page turns them on again.'
}

interface SeatAlertProps extends Omit<AlertLinkPageProps, 'rows' | 'pushKey'> {
  row: LinkRow
}

/** An older read is not called "now": the class may no longer be watched, or its school may not answer. ms */
const MAX_AGE_OF_NOW_MS = 10 * 60_000

/** Whether the seat was open in a recent read. */
const isOpenNow = (row: LinkRow, now: number): boolean =>
  row.section_status === 'open' &&
  row.section_observed_at !== null &&
  now - row.section_observed_at <= MAX_AGE_OF_NOW_MS

function SeatAlert({ row, code, now, timeZone, csrfToken }: SeatAlertProps) {
  const { number, number_label: label } = courseSectionOf(row, row.source_kind)
  const isOpen = isOpenNow(row, now)
  const link = sectionLink(row)
  const title = row.section_topic || row.course_title
  return (
    <article className={isOpen ? 'seat-alert seat-alert-open' : 'seat-alert'}>
      <header>
        <h1>{nameOf(row)}</h1>
        <p className="muted">{[title, row.term_name].filter((part) => part !== '').join(' · ')}</p>
      </header>
      <SeatsNow row={row} now={now} timeZone={timeZone} />
      <NumberToType label={label} number={number} />
      {link !== null && (
        <LinkButton href={link} kind={isOpen ? 'primary' : 'plain'} wide icon="out" rel="noreferrer">
          {isOpen ? `Register at ${row.school_label}` : 'View on school site'}
        </LinkButton>
      )}
      <GotIt row={row} code={code} csrfToken={csrfToken} />
      <p className="seat-alert-note">
        {isOpen ? promptness(row, now) : <StillWatching row={row} timeZone={timeZone} />}
      </p>
      <Details row={row} />
    </article>
  )
}

const words = { open: 'Open now', waitlisted: 'Waitlist only', closed: 'Full again', unknown: 'Not known right now' }

function SeatsNow({ row, now, timeZone }: Pick<SeatAlertProps, 'row' | 'now' | 'timeZone'>) {
  const { status, seats_available, capacity, observed_at } = courseSectionOf(row, row.source_kind)
  const available = seats_available === null ? null : Math.max(0, seats_available)
  const isOld = status === 'open' && !isOpenNow(row, now)
  return (
    <section className="seat-now" aria-label="Seats now">
      <div className="seat-now-head">
        <p className="seat-now-state">{isOld ? 'Open when last checked' : words[status]}</p>
        {observed_at !== null && (
          <p className="seat-now-age">
            Checked{' '}
            <time
              dateTime={observed_at}
              title={absoluteText(observed_at, timeZone, true)}
              data-age={now - Date.parse(observed_at)}
            >
              {relativeText(Date.parse(observed_at), now)}
            </time>
          </p>
        )}
      </div>
      {!isOld && status !== 'unknown' && available !== null && capacity !== null && capacity <= MAX_SEATS ? (
        <SeatPlan available={available} capacity={capacity} />
      ) : (
        <SeatBar status={isOld ? 'unknown' : status} seats={available} capacity={capacity} />
      )}
      {available !== null && (
        <p className="seat-now-left">
          {status === 'unknown' && 'Last known: '}
          <b>{available} left</b> {capacity !== null && `of ${capacity}`}
        </p>
      )}
    </section>
  )
}

/** The button needs the script; without it, a click selects the whole number. */
function NumberToType({ label, number }: { label: string; number: string }) {
  return (
    <div className="seat-number" data-copy={number}>
      <p>
        <span className="muted">{label}</span> <b>{number}</b>
      </p>
      <button type="button" className="button" hidden aria-label={`Copy ${label} ${number}`}>
        <Icon name="copy" size={16} />
        <span aria-live="polite">Copy</span>
      </button>
    </div>
  )
}

/** A turn in a class that is full again is over: there is nothing to pass on. */
const mayBeOpen: ReadonlySet<string> = new Set(['open', 'unknown'])

function GotIt({ row, code, csrfToken }: Pick<SeatAlertProps, 'row' | 'code' | 'csrfToken'>) {
  if (!row.is_watched) return <p className="seat-alert-note">We no longer watch this class for you.</p>
  return (
    <>
      <form method="post" action={`/s/${code}/got_it/`} id="got-it">
        <input type="hidden" name="csrf_token" value={csrfToken} />
        <input type="hidden" name="section_id" value={row.section_id} />
        <Button type="submit" wide icon="check">
          I got it
        </Button>
      </form>
      {row.is_fair && mayBeOpen.has(row.section_status) && <Pass code={code} csrfToken={csrfToken} />}
    </>
  )
}

function Pass({ code, csrfToken }: Pick<SeatAlertProps, 'code' | 'csrfToken'>) {
  return (
    <form method="post" action={`/s/${code}/pass/`} className="stack stack-small">
      <input type="hidden" name="csrf_token" value={csrfToken} />
      <Button type="submit" wide>
        Pass
      </Button>
      <p className="seat-alert-note">{fairTurnsRule}</p>
    </form>
  )
}

/** After this, how fast the message was says nothing any more. ms */
const MAX_PROMPT_MS = 3600_000

/** "We saw it 1 min ago. It opened at most 17 s before that." */
function promptness({ kind, seen_open_at, last_closed_at }: LinkRow, now: number): string {
  if (now - seen_open_at > MAX_PROMPT_MS) return `We first saw it open ${relativeText(seen_open_at, now)}.`
  const seen = `We saw it ${relativeText(seen_open_at, now)}.`
  if (kind === 'reminder' || last_closed_at === null) return seen
  return `${seen} It opened at most ${durationText(Math.max(1000, seen_open_at - last_closed_at))} before that.`
}

function StillWatching({ row, timeZone }: Pick<SeatAlertProps, 'row' | 'timeZone'>) {
  const at = row.section_observed_at
  return (
    <>
      {row.section_status === 'unknown' || at === null
        ? 'The school’s answer tells us nothing certain at the moment.'
        : row.section_status === 'open'
          ? 'We have not checked since. The school’s own page knows.'
          : `It was gone when we checked at ${clockText(iso(at), timeZone)}.`}{' '}
      {row.is_watched && (
        <>
          <b>We’re still watching</b> and will message you when the next one opens.
        </>
      )}
    </>
  )
}

/** Lines end between two times, never within one: "Mo 5:15PM - 6:05PM, Sa 11:15AM - 1:00PM". */
function Times({ text }: { text: string }) {
  return text.split(/(?<=[,;]) /).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && ' '}
      <span className="whole">{part}</span>
    </Fragment>
  ))
}

function Details({ row }: { row: LinkRow }) {
  const { instruction_list: list, details = [] } = courseSectionOf(row, row.source_kind)
  const joined = (texts: string[]) => [...new Set(texts.filter((text) => text !== ''))].join('; ')
  const facts: [label: string, value: string][] = [
    ['When', joined(list.map(({ days_times }) => days_times))],
    ['With', joined(list.map(({ name }) => name))],
    ['At', row.school_label],
    ...details.map(({ label, text }): [string, string] => [label, text]),
  ]
  return (
    <dl className="seat-details">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{name === 'When' ? <Times text={value} /> : value}</dd>
          </div>
        ))}
    </dl>
  )
}
