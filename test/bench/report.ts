/** One measured figure, with its bound if there is one. */
export interface Figure {
  what: string
  value: number
  unit: string
  /** The largest value that keeps the promise; absent for figures that are only reported. */
  atMost?: number
  /** The smallest value that keeps it. */
  atLeast?: number
  /** The exact value required. */
  exactly?: number
  /** Shown after the figure: intervals, or its parts. */
  note?: string
}

/** The results of one part of the bench. */
export interface Part {
  name: string
  figures: Figure[]
  /** Sentences on how it was measured. */
  notes: string[]
}

/** Whether a figure keeps its bound; true if it has none. NaN keeps no bound. */
export function keeps({ value, atMost, atLeast, exactly }: Figure): boolean {
  if (exactly !== undefined) return value === exactly
  if (atLeast !== undefined) return value >= atLeast
  return atMost === undefined || value <= atMost
}

/** A figure for people: small ones with decimals. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Number.isInteger(value)) return value.toLocaleString('en-US')
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)
}

function boundOf({ atMost, atLeast, exactly }: Figure): string {
  if (exactly !== undefined) return `= ${shown(exactly)}`
  if (atLeast !== undefined) return `≥ ${shown(atLeast)}`
  return atMost === undefined ? '' : `≤ ${shown(atMost)}`
}

/** One table per part: figure, bound, verdict. */
export function printPart({ name, figures, notes }: Part): void {
  const rows = figures.map((figure) => {
    const { what, value, unit, note } = figure
    const bound = boundOf(figure)
    const verdict = bound === '' ? '' : keeps(figure) ? 'ok' : figure.atLeast === undefined ? 'OVER' : 'UNDER'
    return [what, `${shown(value)}${unit === '' ? '' : ` ${unit}`}`, bound, verdict, note ?? '']
  })
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  console.log(`\n${name}`)
  for (const [what = '', value = '', bound = '', verdict = '', note = ''] of rows) {
    const [first = 0, second = 0, third = 0, fourth = 0] = widths
    const cells = [what.padEnd(first), value.padStart(second), bound.padEnd(third), verdict.padEnd(fourth), note]
    console.log(`  ${cells.join('  ').trimEnd()}`)
  }
  for (const note of notes) console.log(`  · ${note}`)
}

/** The value below which `share` (0 … 1) of the values lie, by nearest rank; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN
}

/** The median and its 95 % interval, by order statistics: no distribution of the noise is assumed. */
export function medianInterval(values: readonly number[]): { median: number; low: number; high: number } {
  const sorted = values.toSorted((one, other) => one - other)
  const count = sorted.length
  // The median lies between these ranks in 95 of 100 repetitions (normal approximation of the binomial).
  const reach = Math.ceil(0.98 * Math.sqrt(count))
  return {
    median: percentile(values, 0.5),
    low: sorted[Math.max(0, Math.floor(count / 2) - reach)] ?? NaN,
    high: sorted[Math.min(count - 1, Math.ceil(count / 2) + reach)] ?? NaN,
  }
}
