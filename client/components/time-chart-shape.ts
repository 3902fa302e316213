import type { ChartStep } from '../../src/scheduler/contract.ts'
import { rounded } from './rounded.ts'

/** The chart's coordinates: an area of `width` by `height`, time to the right, counts upwards. */
interface Field {
  width: number
  height: number
}

/** The smallest figure of one digit or 15, with zeros, that is not below the value: at least half the chart is used. */
export function roundTop(figure: number): number {
  if (figure <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(figure))
  return [1, 1.5, 2, 3, 4, 6, 8, 10].map((factor) => factor * power).find((top) => top >= figure) ?? 10 * power
}

/** A few jobs should be a low bar, not a full one. */
const MIN_TOP = 10

/** One stacked bar per step, with gaps between them. */
export function barsOf(steps: readonly ChartStep[], { width, height }: Field) {
  const top = roundTop(Math.max(MIN_TOP, ...steps.map(({ finished, failed }) => finished + failed)))
  const stepWidth = width / Math.max(1, steps.length)
  const bars = steps.map((step, index) => ({
    step,
    x: rounded((index + 0.12) * stepWidth),
    width: rounded(stepWidth * 0.76),
    finished: rounded((step.finished / top) * height),
    failed: rounded((step.failed / top) * height),
  }))
  return { bars, top }
}

type TimeName = 'wait_p50' | 'wait_p95' | 'run_p50' | 'run_p95'

/** The `d` of a line, with gaps where nothing ran. A step on its own is a short dash. */
export function lineOf(steps: readonly ChartStep[], name: TimeName, top: number, { width, height }: Field): string {
  const stepWidth = width / Math.max(1, steps.length)
  let line = ''
  let drawing = false
  steps.forEach((step, index) => {
    const figure = step[name]
    if (figure === null) {
      drawing = false
      return
    }
    const y = rounded(height - (Math.min(figure, top) / top) * height)
    line += drawing
      ? `L${rounded((index + 0.5) * stepWidth)} ${y}`
      : `M${rounded((index + 0.25) * stepWidth)} ${y}H${rounded((index + 0.5) * stepWidth)}`
    drawing = true
  })
  return line
}

/** The top of the time scale, in ms. */
export const timesTop = (steps: readonly ChartStep[]): number =>
  roundTop(Math.max(1, ...steps.map((step) => Math.max(step.wait_p95 ?? 0, step.run_p95 ?? 0))))

export function totalsOf(steps: readonly ChartStep[]): { finished: number; failed: number } {
  return steps.reduce(
    (sum, { finished, failed }) => ({ finished: sum.finished + finished, failed: sum.failed + failed }),
    { finished: 0, failed: 0 },
  )
}
