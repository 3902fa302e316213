import type { ReactNode } from 'react'
import { Button, LinkButton } from '../../../../client/components/button.tsx'
import { Icon } from '../../../../client/components/icon.tsx'
import { PostForm } from '../../../../client/components/post-form.tsx'
import { schoolNameParts } from '../../../../client/components/school-name.ts'
import { absoluteText, clockText, dateText, dayKey, durationText } from '../../../../client/components/time-text.ts'
import { HOUR_MS, iso } from '../../../lib/time.ts'
import { fairTurnsRule } from '../../alerts/fair-turns.ts'
import { sectionLink } from '../../courses/section-link.ts'
import type { PageContext } from '../../../web/contract.ts'
import type { LinkRow } from '../find-link.ts'
import { Age } from '../../../../client/components/age.tsx'
import { isOpenNow } from './alert-seats.tsx'

interface AlertActsProps {
  row: LinkRow
  code: string
  /** ms since epoch */
  now: number
  context: PageContext
}

/** Once the class is full again the turn is over, and there is nothing to pass on. */
const mayBeOpen: ReadonlySet<string> = new Set(['open', 'unknown'])

/** What the person can do about one class now, and what we know and do about it. */
export function AlertActs(props: AlertActsProps) {
  const { row, now } = props
  const isOpen = isOpenNow(row, now)
  const mayAnswer = row.contact_id !== null
  const link = sectionLink(row)
  return (
    <>
      {link !== null && (
        <LinkButton href={link} kind={isOpen ? 'primary' : 'plain'} wide large={isOpen} rel="noreferrer">
          {isOpen ? `Register at ${schoolNameParts(row.school_label).shown}` : 'View on school site'}
          <Icon name="out" size={16} />
        </LinkButton>
      )}
      {mayAnswer && row.is_watched && row.is_fair && mayBeOpen.has(row.section_status) && (
        <Answer {...props} act="pass" effect={fairTurnsRule}>
          <Button type="submit">Pass</Button>
        </Answer>
      )}
      {isOpen ? (
        <p className="seat-alert-note muted">
          <ResponseTime {...props} />
        </p>
      ) : (
        <p className="seat-alert-note">
          {whatWeKnow(props)}{' '}
          {mayAnswer && row.is_watched && row.can_be_messaged && (
            <>
              <b>We’re still watching</b>
              {row.paused_until === null && ' and will message you when the next one opens'}.
            </>
          )}
        </p>
      )}
      {mayAnswer && row.is_watched && (
        <Answer {...props} act="got_it" effect="Got a seat? We’ll stop watching this class for you.">
          <Button type="submit" icon="check">
            I got the seat
          </Button>
        </Answer>
      )}
      {mayAnswer && !row.is_watched && <NotWatched {...props} />}
    </>
  )
}

/** "paused until Nov 3, 2026, 2:05 PM". @param until ms since epoch */
export const pausedText = (until: number, timeZone: string): string =>
  `paused until ${absoluteText(iso(until), timeZone)}`

function Answer({
  row,
  code,
  context,
  act,
  effect,
  children,
}: AlertActsProps & { act: 'got_it' | 'pass' | 'watch_again'; effect: string; children: ReactNode }) {
  return (
    <PostForm context={context} action={`/s/${code}/${act}/`} className="seat-answer">
      <input type="hidden" name="section_id" value={row.section_id} />
      <p className="muted small">{effect}</p>
      {children}
    </PostForm>
  )
}

/** Why no more messages come about this class, and a button to watch it again if possible. */
function NotWatched(props: AlertActsProps) {
  const { row } = props
  if (row.is_term_over)
    return <p className="seat-alert-note">{row.term_name} is over, so we stopped watching this class.</p>
  if (!row.is_term_open)
    return (
      <p className="seat-alert-note">
        We stopped watching this class. {row.school_label} no longer offers {row.term_name}, so it can’t be watched
        again.
      </p>
    )
  return (
    <Answer {...props} act="watch_again" effect="We stopped watching this class for you. Still need a seat?">
      <Button type="submit" icon="bell">
        Watch it again
      </Button>
    </Answer>
  )
}

/** After this time, in ms, how fast the message was no longer matters. */
const MAX_PROMPT_MS = HOUR_MS

/** "We noticed the seat 1 min ago, at most 17 s after it opened." */
function ResponseTime({ row: { kind, seen_open_at: seen, last_closed_at: closed }, now }: AlertActsProps) {
  const isToday = now - seen <= MAX_PROMPT_MS
  return (
    <>
      We {isToday ? 'noticed' : 'first noticed'} <Age at={seen} now={now} />
      {isToday && kind === 'opening' && closed !== null && (
        <>, at most {durationText(Math.max(1000, seen - closed))} after it opened</>
      )}
      .
    </>
  )
}

function whatWeKnow({ row, now, context: { time_zone: timeZone } }: AlertActsProps): string {
  const at = row.section_observed_at
  if (row.section_status === 'unknown' || at === null) return 'The school’s site gives no clear answer right now.'
  if (row.section_status === 'open') return 'Check the school’s site to see whether it is still open.'
  const [checked, today] = [iso(at), iso(now)]
  const isToday = dayKey(checked, timeZone) === dayKey(today, timeZone)
  const when = isToday ? `at ${clockText(checked, timeZone)}` : `on ${dateText(checked, timeZone)}`
  return `The seat was gone when we checked ${when}.`
}
