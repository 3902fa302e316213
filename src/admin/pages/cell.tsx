import { Badge } from '../../../client/components/badge.tsx'
import { LeadingFigure } from '../../../client/components/leading-figure.tsx'
import { SeatBar, takenShare } from '../../../client/components/seat-bar.tsx'
import { pastSeatsText, seatsText } from '../../../client/islands/class-tracker/section-text.ts'
import { countText } from '../../../client/components/count-text.ts'
import { absoluteText, dateText, relativeText } from '../../../client/components/time-text.ts'
import type { SectionStatus } from '../../class-tracker/courses/contract.ts'
import type { AdminValue } from '../../web/admin-change.ts'
import type { Column } from '../table.ts'
import { iso } from '../../lib/time.ts'
import { truncated } from '../../lib/text.ts'
import { recordedChanges } from '../audit/history.ts'
import { ChangeList } from './change-list.tsx'

type Shape = Pick<Column, 'kind' | 'choices'>

/** How much of a longer text is shown on hover; the row's own page shows the whole text. */
const MAX_HOVER_LENGTH = 500

interface CellProps {
  shape: Shape
  value: AdminValue
  /** ms since epoch; if given, times less than a few hours away are shown as relative. */
  now?: number
  timeZone: string
}

export function Cell({ shape, value, now, timeZone }: CellProps) {
  if (value === null || value === '') return <span className="muted">–</span>
  if (shape.kind === 'moment' && typeof value === 'number') {
    return <CellTime at={iso(value)} timeZone={timeZone} {...(now !== undefined && { now })} />
  }
  if (shape.kind === 'seats') return <Seats value={String(value)} />
  if (shape.kind === 'changes') return <Changes value={String(value)} />
  if (shape.kind === 'boolean') return value === 0 ? <span className="muted">No</span> : <>Yes</>
  if (shape.kind === 'number' && typeof value === 'number') return <>{countText(value)}</>
  if (shape.kind === 'choice' || shape.kind === 'state') {
    const choice = shape.choices?.find((one) => one.value === String(value))
    const label = choice?.label ?? truncated(String(value))
    return choice?.tone ? <Badge tone={choice.tone}>{label}</Badge> : <>{label}</>
  }
  const text = String(value)
  const beginning = truncated(text)
  return beginning === text ? <>{text}</> : <span title={truncated(text, MAX_HOVER_LENGTH)}>{beginning}</span>
}

/** Times further away than this are shown as dates. */
const MAX_RELATIVE_MS = 12 * 3600_000

/** To the second on hover; in a list (with `now`) as short as possible. `at` is ISO 8601. */
export function CellTime({ at, now, timeZone }: { at: string; now?: number; timeZone: string }) {
  return (
    <time className="nowrap" dateTime={at} title={absoluteText(at, timeZone, true)}>
      {now === undefined ? absoluteText(at, timeZone) : briefText(at, now, timeZone)}
    </time>
  )
}

function briefText(at: string, now: number, timeZone: string): string {
  const moment = Date.parse(at)
  return Math.abs(now - moment) < MAX_RELATIVE_MS ? relativeText(moment, now) : dateText(at, timeZone)
}

/** @param value of a column of the kind `seats` */
function Seats({ value }: { value: string }) {
  const [status, seats, capacity]: [SectionStatus, number | null, number | null] = JSON.parse(value)
  const text = seatsText({ seats_available: seats, capacity })
  if (seats === null) return <span className="muted">{text}</span>
  if (takenShare({ seats, capacity }) === null) return <>{text}</>
  return (
    <span className="cell-bar">
      <SeatBar status={status} seats={seats} capacity={capacity} />
      {status === 'unknown' ? (
        <span className="muted">{pastSeatsText(text)}</span>
      ) : (
        <span>{status === 'open' ? <LeadingFigure text={text} /> : text}</span>
      )}
    </span>
  )
}

/** Fields of an entry that a list shows. */
const MAX_CHANGES = 3

/** @param value of a column of the kind `changes` */
function Changes({ value }: { value: string }) {
  const [before, after]: [string | null, string | null] = JSON.parse(value)
  const changes = recordedChanges(before, after)
  if (changes.length === 0) return <span className="muted">–</span>
  const more = changes.length - MAX_CHANGES
  return (
    <ChangeList changes={changes.slice(0, MAX_CHANGES)}>
      {more > 0 ? <li className="muted">{more} more</li> : null}
    </ChangeList>
  )
}
