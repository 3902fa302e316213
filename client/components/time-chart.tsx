import type { ChartStep } from '../../src/scheduler/contract.ts'
import { Chart } from './chart.tsx'
import { countText } from './count-text.ts'
import { barsOf, lineOf, timesTop, totalsOf } from './time-chart-shape.ts'
import { clockText, measureText } from './time-text.ts'

const field = { width: 720, height: 120 }
const times = [
  { name: 'wait_p95', label: 'wait p95' },
  { name: 'wait_p50', label: 'wait p50' },
  { name: 'run_p95', label: 'run p95' },
  { name: 'run_p50', label: 'run p50' },
] as const

interface TimeChartProps {
  steps: readonly ChartStep[]
  timeZone: string
}

const QUARTER_MS = 15 * 60_000

/** For each step its time if a quarter of an hour begins with it, or with longer steps a quarter of a day; else ''. */
function timesOf({ steps, timeZone }: TimeChartProps): string[] {
  const [first, second] = steps
  const isLong = first && second && Date.parse(second.at) - Date.parse(first.at) >= QUARTER_MS
  const round = isLong ? /^(12|6):00/ : /:(00|15|30|45)/
  return steps.map(({ at }) => clockText(at, timeZone)).map((text) => (round.test(text) ? text : ''))
}

export function EndedLegend({ steps }: { steps: readonly ChartStep[] }) {
  const { finished, failed } = totalsOf(steps)
  if (finished + failed === 0) return null
  return (
    <p className="legend small muted">
      <span className="key key-finished">
        Finished <b>{countText(finished)}</b>
      </span>
      <span className="key key-failed">
        Failed <b>{countText(failed)}</b>
      </span>
    </p>
  )
}

/** What ended in each time step, oldest first. */
export function EndedChart({ steps, timeZone }: TimeChartProps) {
  const { bars, top } = barsOf(steps, field)
  const { finished, failed } = totalsOf(steps)
  if (finished + failed === 0) return <Nothing />
  return (
    <Chart
      field={field}
      label={`Jobs ended: ${finished} finished, ${failed} failed`}
      top={countText(top)}
      middle={Number.isInteger(top / 2) ? countText(top / 2) : ''}
      times={timesOf({ steps, timeZone })}
    >
      {bars.map(({ step, ...bar }) => (
        <g key={step.at}>
          <title>{`${clockText(step.at, timeZone)}: ${step.finished} finished, ${step.failed} failed, ${step.enqueued} enqueued`}</title>
          <rect className="bar-back" x={bar.x} y="0" width={bar.width} height={field.height} />
          {bar.finished === 0 ? null : (
            <rect
              className="bar-finished"
              x={bar.x}
              y={field.height - bar.finished}
              width={bar.width}
              height={bar.finished}
            />
          )}
          {bar.failed === 0 ? null : (
            <rect
              className="bar-failed"
              x={bar.x}
              y={field.height - bar.finished - bar.failed}
              width={bar.width}
              height={bar.failed}
            />
          )}
        </g>
      ))}
    </Chart>
  )
}

export function TimesLegend({ steps }: { steps: readonly ChartStep[] }) {
  if (measuredOf(steps).length < 2) return null
  return (
    <p className="legend small muted">
      {times.map(({ name, label }) => (
        <span key={name} className={`key key-${name}`}>
          {label}
        </span>
      ))}
    </p>
  )
}

/** How long jobs waited and ran in each time step, oldest first. */
export function TimesChart({ steps, timeZone }: TimeChartProps) {
  const top = timesTop(steps)
  const measured = measuredOf(steps)
  const newest = measured.at(-1)
  if (newest === undefined) return <Nothing />
  const words = times
    .map(({ name, label }) => `${label} ${newest[name] === null ? 'unknown' : measureText(newest[name])}`)
    .join(', ')
  // One point makes no line.
  if (measured.length === 1) return <p className="muted small">So far: {words}.</p>
  return (
    <Chart
      field={field}
      label={`How long jobs waited and ran, last: ${words}`}
      top={measureText(top)}
      middle={measureText(top / 2)}
      times={timesOf({ steps, timeZone })}
    >
      {times.map(({ name }) => (
        <path key={name} className={`time-line time-${name}`} d={lineOf(steps, name, top, field)} />
      ))}
    </Chart>
  )
}

const measuredOf = (steps: readonly ChartStep[]): ChartStep[] => steps.filter(({ run_p50: half }) => half !== null)

const Nothing = () => <p className="muted small">Nothing ran in this time.</p>
