import type { ReactNode } from 'react'

interface ChartProps {
  /** The coordinates of what is drawn. It is stretched to the width of the page. */
  field: { width: number; height: number }
  /** A description in words, for people who cannot see it. */
  label: string
  /** The top of the scale, which starts at 0. */
  top: string | number
  /** The middle of the scale, beside a line; absent: no line. */
  middle?: string
  times: readonly string[]
  children: ReactNode
}

/** The frame of a chart over time: its scale at the left, times below. */
export function Chart({ field, label, top, middle, times, children }: ChartProps) {
  return (
    <div className="chart tiny numbers muted">
      <p className="chart-scale" aria-hidden="true">
        <span>{top}</span>
        {middle !== undefined && <span>{middle}</span>}
        <span>0</span>
      </p>
      <svg viewBox={`0 0 ${field.width} ${field.height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {middle !== undefined && (
          <rect className="sparkline-area" y={field.height / 2 - 0.75} width={field.width} height="1.5" />
        )}
        {children}
      </svg>
      <p className="chart-days" aria-hidden="true">
        {times.map((time, index) => (
          <span key={index}>{time}</span>
        ))}
      </p>
    </div>
  )
}
