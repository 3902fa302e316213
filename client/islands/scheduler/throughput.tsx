import type { ChartSpan, ChartStep } from '../../../src/scheduler/contract.ts'
import { TimeChart } from '../../components/time-chart.tsx'

const spans = [
  { span: 'hour', label: 'Hour' },
  { span: 'day', label: 'Day' },
] as const

interface ThroughputProps {
  title: string
  steps: readonly ChartStep[]
  span: ChartSpan
  hrefOf: (span: ChartSpan) => string
  timeZone: string
}

/** What ended in the last hour or day, and how long it took. */
export function Throughput({ title, steps, span, hrefOf, timeZone }: ThroughputProps) {
  return (
    <section className="stack stack-small" aria-labelledby="throughput">
      <div className="row">
        <h2 id="throughput">{title}</h2>
        <nav className="spans push" aria-label="Time span">
          {spans.map((one) => (
            <a key={one.span} href={hrefOf(one.span)} aria-current={one.span === span ? 'true' : undefined}>
              {one.label}
            </a>
          ))}
        </nav>
      </div>
      <TimeChart steps={steps} timeZone={timeZone} />
    </section>
  )
}
