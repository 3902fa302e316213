import { SeatBar } from '../../../client/components/seat-bar.tsx'
import { StatusBadge } from '../../../client/components/status-dot.tsx'
import { seatsLeft, seatsText, sectionNumbers } from '../../../client/islands/class-tracker/section-text.ts'
import { counted } from '../../lib/text.ts'
import { fairTurnsRule } from '../alerts/fair-turns.ts'
import { nameOf } from '../courses/section-row.ts'
import { Age } from '../../../client/components/age.tsx'
import type { OwnPageProps } from './contract.ts'
import { ActForm, type OwnPageView, Part } from './part.tsx'

export function Watched({ props, context, now }: OwnPageView) {
  const { sections, more_sections_count: more, is_fair: isFair } = props
  if (sections.length === 0) return <p>We’re not watching any classes for you right now.</p>
  return (
    <Part id="watched" title="Classes we watch for you">
      <ul className="stack">
        {sections.map((section) => (
          <WatchedEntry key={section.id} section={section} context={context} now={now} />
        ))}
      </ul>
      {more > 0 && (
        <p className="muted">
          … and {counted(more, 'more class', 'more classes')}. To stop one of those, ask the person who set up your
          alerts.
        </p>
      )}
      {isFair && (
        <p className="muted">
          {fairTurnsRule} While your messages are paused or your quiet hours last, your turn goes to them; your place in
          line stays yours.
        </p>
      )}
    </Part>
  )
}

interface WatchedEntryProps extends Pick<OwnPageView, 'context' | 'now'> {
  section: OwnPageProps['sections'][number]
}

/** One section: what it is, its seats, where to register, and how to stop watching it. */
function WatchedEntry({ section, context, now }: WatchedEntryProps) {
  const { course, topic, status, observed_at: observedAt, school, link } = section
  const name = nameOf({ course_code: course.code, course_level: course.level, section_code: section.section })
  const left = seatsLeft(section)
  return (
    <li className="own-section">
      <div className="row">
        <h3>
          {course.code} {course.level} <bdi>{topic || course.title}</bdi>
        </h3>
        <StatusBadge status={status} />
      </div>
      <div className="seat-line small">
        <SeatBar status={status} seats={left} capacity={section.capacity} />
        <span className={status === 'open' ? 'strong' : 'muted'}>
          {status === 'unknown' && left !== null && 'Last known: '}
          {seatsText(section)}
        </span>
      </div>
      <p className="muted meta">
        {[sectionNumbers(section), school.name].filter(Boolean).join(' · ')}
        {observedAt !== null && (
          <>
            {' · '}checked <Age at={Date.parse(observedAt)} now={now} timeZone={context.time_zone} />
          </>
        )}
      </p>
      {link !== null && (
        <a className="meta" href={link} rel="noreferrer">
          View on school site
        </a>
      )}
      <details>
        <summary className="meta">
          Stop watching<span className="hidden-visually">{` ${name}`}</span>
        </summary>
        <ActForm act="unwatch" context={context} button="Stop watching" kind="danger">
          <input type="hidden" name="section_id" value={section.id} />
          <p className="small">
            You will get no more messages about {name}. You can watch it again with one of its messages from the last 30
            days, or ask the person who set up your alerts.
          </p>
        </ActForm>
      </details>
    </li>
  )
}
