import type { ChartSpan, ChartStep } from '../../../src/scheduler/contract.ts'
import { EndedChart, EndedLegend, TimesChart, TimesLegend } from '../../components/time-chart.tsx'

const spans = [
  { span: 'hour', label: 'Hour' },
  { span: 'day', label: 'Day' },
] as const

interface ThroughputProps {
  steps: readonly ChartStep[]
  span: ChartSpan
  hrefOf: (span: ChartSpan) => string
  timeZone: string
}

/** What ended in the last hour or day. */
export function Throughput({ steps, span, hrefOf, timeZone }: ThroughputProps) {
  return (
    <section className="stack stack-small" aria-labelledby="throughput">
      <div className="row">
        <h2 id="throughput">Throughput</h2>
        <EndedLegend steps={steps} />
        <nav className="spans push" aria-label="Time span">
          {spans.map((one) => (
            <a key={one.span} href={hrefOf(one.span)} aria-current={one.span === span ? 'true' : undefined}>
              {one.label}
            </a>
          ))}
        </nav>
      </div>
      <EndedChart steps={steps} timeZone={timeZone} />
    </section>
  )
}

export function TimePerJob({ steps, timeZone }: Pick<ThroughputProps, 'steps' | 'timeZone'>) {
  return (
    <section className="stack stack-small" aria-labelledby="time-per-job">
      <div className="row">
        <h2 id="time-per-job">Time per job</h2>
        <TimesLegend steps={steps} />
      </div>
      <TimesChart steps={steps} timeZone={timeZone} />
    </section>
  )
}
