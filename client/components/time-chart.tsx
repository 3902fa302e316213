import type { ChartStep } from '../../src/scheduler/contract.ts'
import { barsOf, lineOf, timesTop, totalsOf } from './time-chart-shape.ts'
import { clockText, measureText } from './time-text.ts'

const field = { width: 720, height: 120 }
const times = [
  { name: 'wait_p95', label: 'wait p95' },
  { name: 'wait_p50', label: 'wait p50' },
  { name: 'run_p95', label: 'run p95' },
  { name: 'run_p50', label: 'run p50' },
] as const

function Axis({ steps, timeZone }: { steps: readonly ChartStep[]; timeZone: string }) {
  const shown = [0, 0.25, 0.5, 0.75, 1].map((part) => steps[Math.round(part * (steps.length - 1))])
  return (
    <p className="chart-days" aria-hidden="true">
      {shown.map((step, index) => (
        <span key={index}>{step && clockText(step.at, timeZone)}</span>
      ))}
    </p>
  )
}

function Bars({ steps, timeZone }: { steps: readonly ChartStep[]; timeZone: string }) {
  const { bars, top } = barsOf(steps, field)
  const { finished, failed } = totalsOf(steps)
  return (
    <div className="chart tiny numbers muted">
      <p className="chart-scale" aria-hidden="true">
        <span>{top}</span>
        <span>0</span>
      </p>
      <svg
        viewBox={`0 0 ${field.width} ${field.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Jobs ended: ${finished} finished, ${failed} failed`}
      >
        {bars.map((bar, index) => (
          <g key={bar.at}>
            <title>{`${clockText(bar.at, timeZone)}: ${steps[index]?.finished} finished, ${steps[index]?.failed} failed, ${steps[index]?.enqueued} enqueued`}</title>
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
      </svg>
      <Axis steps={steps} timeZone={timeZone} />
    </div>
  )
}

function Times({ steps, timeZone }: { steps: readonly ChartStep[]; timeZone: string }) {
  const top = timesTop(steps)
  const newest = steps.findLast(({ run_p50: half }) => half !== null)
  const words = newest
    ? times.map(({ name, label }) => `${label} ${newest[name] === null ? 'unknown' : measureText(newest[name])}`)
    : ['nothing ran']
  return (
    <div className="chart tiny numbers muted">
      <p className="chart-scale" aria-hidden="true">
        <span>{measureText(top)}</span>
        <span>0</span>
      </p>
      <svg
        viewBox={`0 0 ${field.width} ${field.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`How long jobs waited and ran, last: ${words.join(', ')}`}
      >
        {times.map(({ name }) => (
          <path key={name} className={`time-line time-${name}`} d={lineOf(steps, name, top, field)} />
        ))}
      </svg>
      <Axis steps={steps} timeZone={timeZone} />
    </div>
  )
}

/** What ended in each step of time, and how long jobs waited and ran. Oldest step first. */
export function TimeChart({ steps, timeZone }: { steps: readonly ChartStep[]; timeZone: string }) {
  if (steps.length === 0) return <p className="muted small">No data yet.</p>
  const { enqueued, finished, failed } = totalsOf(steps)
  return (
    <div className="time-charts">
      <figure className="stack stack-small">
        <figcaption className="legend small">
          <span className="strong">Jobs ended</span>
          <span className="key key-finished">{finished} finished</span>
          <span className="key key-failed">{failed} failed</span>
          <span className="muted">{enqueued} enqueued</span>
        </figcaption>
        <Bars steps={steps} timeZone={timeZone} />
      </figure>
      <figure className="stack stack-small">
        <figcaption className="legend small">
          <span className="strong">Time per job</span>
          {times.map(({ name, label }) => (
            <span key={name} className={`key key-${name}`}>
              {label}
            </span>
          ))}
        </figcaption>
        <Times steps={steps} timeZone={timeZone} />
      </figure>
    </div>
  )
}
