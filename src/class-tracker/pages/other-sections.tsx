import { absoluteText, relativeText } from '../../../client/components/time-text.ts'
import { iso } from '../../lib/time.ts'
import { numberLabel } from '../courses/section-number.ts'
import { instructionOf } from '../courses/section-row.ts'
import type { LinkRow, OtherSection } from '../links/find-link.ts'
import { readableTimes } from './readable-text.ts'

interface OtherSectionsProps {
  row: LinkRow
  others: readonly OtherSection[]
  /** ms since epoch */
  now: number
  timeZone: string
}

/** Other sections of the class with a seat, for people whose section is full. */
export function OtherSections({ row, others, now, timeZone }: OtherSectionsProps) {
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
              <CheckedAt at={other.observed_at} now={now} timeZone={timeZone} />
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
        checked{' '}
        <time dateTime={iso(at)} title={absoluteText(iso(at), timeZone, true)} data-age={now - at}>
          {relativeText(at, now)}
        </time>
      </span>
    </>
  )
}

const seatsText = ({ seats }: OtherSection): string => (seats === null ? '' : `${seats} left`)

const timesText = ({ instruction }: OtherSection): string =>
  [...new Set(instructionOf(instruction).map(({ days_times }) => readableTimes(days_times)))].join('; ')
