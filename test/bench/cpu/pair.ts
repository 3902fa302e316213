import { type Figure, medianInterval, percentile } from '../report.ts'

/** CPU of one thing as a multiple of another's, measured side by side. */
export interface Ratio {
  /** Median of the pairs' ratios. */
  median: number
  /** Its 95 % interval. */
  low: number
  high: number
  /** Median CPU of one call, in ms. */
  oneMs: number
  otherMs: number
  pairs: number
}

/** Several calls long, so that nearly all garbage of a block is collected, and counted, in it. */
const blockMs = 300
const warmUpMs = 1500

type Work = () => void | Promise<void>

async function cpuMs(work: Work, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < calls; call++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / calls
}

/** Calls that fill a block, found while the optimizing compiler warms up. */
async function callsPerBlock(work: Work): Promise<number> {
  const startedAt = performance.now()
  let calls = 0
  while (performance.now() - startedAt < warmUpMs) {
    await work()
    calls++
  }
  return Math.max(1, Math.round((calls * blockMs) / warmUpMs))
}

/**
 * CPU time (user and system of the whole process, including collector and compiler threads) of `one` against `other`,
 * in blocks that alternate and change who begins, so that other load on the machine affects both. Collections are not
 * forced, because that would also discard compiled code.
 */
export async function compareCpu(one: Work, other: Work, pairs = 18): Promise<Ratio> {
  const [oneCalls, otherCalls] = [await callsPerBlock(one), await callsPerBlock(other)]
  const ones: number[] = []
  const others: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const oneFirst = pair % 2 === 0
    const early = await (oneFirst ? cpuMs(one, oneCalls) : cpuMs(other, otherCalls))
    const late = await (oneFirst ? cpuMs(other, otherCalls) : cpuMs(one, oneCalls))
    ones.push(oneFirst ? early : late)
    others.push(oneFirst ? late : early)
  }
  const ratios = ones.map((ms, pair) => ms / (others[pair] ?? NaN))
  return {
    ...medianInterval(ratios),
    oneMs: percentile(ones, 0.5),
    otherMs: percentile(others, 0.5),
    pairs,
  }
}

/** A ratio as a figure, with its interval and its parts. */
export function ratioFigure(
  what: string,
  { median, low, high, oneMs, otherMs, pairs }: Ratio,
  atMost?: number,
): Figure {
  const note = `95 %: ${low.toFixed(2)}–${high.toFixed(2)}; ${oneMs.toFixed(0)} ms against ${otherMs.toFixed(0)} ms, ${pairs} pairs`
  return { what, value: median, unit: '×', note, ...(atMost === undefined ? {} : { atMost }) }
}
