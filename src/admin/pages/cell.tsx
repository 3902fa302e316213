import { Badge } from '../../../client/components/badge.tsx'
import { countText } from '../../../client/components/count-text.ts'
import { absoluteText } from '../../../client/components/time-text.ts'
import type { AdminValue } from '../../web/admin-change.ts'
import type { Column } from '../table.ts'
import { iso } from '../../lib/moment.ts'

type Shape = Pick<Column, 'kind' | 'choices'>

const longestCell = 120
/** What is shown of a longer text on hover; all of it stands on the row's own page. */
const longestHover = 500

/** The beginning of a text that is too long for its place, with no character cut in half. */
export function shortened(text: string, longest = longestCell): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A value as a list or a panel shows it. */
export function Cell({ shape, value, timeZone }: { shape: Shape; value: AdminValue; timeZone: string }) {
  if (value === null || value === '') return <span className="muted">–</span>
  if (shape.kind === 'moment' && typeof value === 'number') return <Moment at={iso(value)} timeZone={timeZone} />
  if (shape.kind === 'boolean') return value === 0 ? <span className="muted">No</span> : <>Yes</>
  if (shape.kind === 'number' && typeof value === 'number') return <>{countText(value)}</>
  if (shape.kind === 'choice') {
    const choice = shape.choices?.find((one) => one.value === String(value))
    const label = choice?.label ?? shortened(String(value))
    return choice?.tone ? <Badge tone={choice.tone}>{label}</Badge> : <>{label}</>
  }
  const text = String(value)
  const beginning = shortened(text)
  return beginning === text ? <>{text}</> : <span title={shortened(text, longestHover)}>{beginning}</span>
}

/** A moment in the reader's time zone, to the second on hover. `at` is ISO 8601. */
export function Moment({ at, timeZone }: { at: string; timeZone: string }) {
  return (
    <time className="nowrap" dateTime={at} title={absoluteText(at, timeZone, true)}>
      {absoluteText(at, timeZone)}
    </time>
  )
}
