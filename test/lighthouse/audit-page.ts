import lighthouse, { type Flags, type Result } from 'lighthouse'
import { percentile } from '../bench/report.ts'
import type { PublicPage } from './pages.ts'

export const categories = ['accessibility', 'best-practices', 'seo', 'performance'] as const
export type Category = (typeof categories)[number]

/** The scores that each page must reach, out of 100. */
export const bounds: Readonly<Record<Category, number>> = {
  accessibility: 100,
  'best-practices': 100,
  seo: 100,
  performance: 95,
}

export interface PageScores {
  path: string
  /** The median of each category's scores, 0 to 100. */
  scores: Record<Category, number>
  /** Medians: milliseconds to the largest paint and of blocked main thread, and the layout shift. */
  largestPaintMs: number
  blockedMs: number
  layoutShift: number
  /** How fast the machine was at the time, by Lighthouse's own measure: about 1500 or more if it is otherwise idle. */
  machine: number
  /** What the last run criticized, one per line. */
  found: string[]
}

/**
 * Audits a page as Lighthouse's phone on slow 4G, `runs` times, each in a new browser profile.
 * @param port the browser's debugging port
 */
export async function auditPage(
  origin: string,
  { path, isUnlisted = false, isMissing = false }: PublicPage,
  port: number,
  runs: number,
): Promise<PageScores> {
  const results: Result[] = []
  const flags: Flags = {
    port,
    logLevel: 'error',
    onlyCategories: [...categories],
    ignoreStatusCode: isMissing,
    // Audits that a page fails on purpose because it is not indexed, or because it is a 404 page.
    skipAudits: [
      ...(isUnlisted ? ['is-crawlable'] : []),
      ...(isMissing ? ['http-status-code', 'errors-in-console'] : []),
    ],
  }
  for (let run = 0; run < runs; run += 1) {
    const answer = await lighthouse(origin + path, flags)
    if (!answer || answer.lhr.runtimeError) throw new Error(`${path}: ${answer?.lhr.runtimeError?.message}`)
    results.push(answer.lhr)
  }
  const median = (value: (result: Result) => number | null | undefined) =>
    percentile(
      results.map((result) => value(result) ?? NaN),
      0.5,
    )
  const scoreOf = (category: Category) => Math.round(100 * median((result) => result.categories[category]?.score))
  const timeOf = (audit: string) => median((result) => result.audits[audit]?.numericValue)
  const last = results.at(-1)
  return {
    path,
    scores: {
      accessibility: scoreOf('accessibility'),
      'best-practices': scoreOf('best-practices'),
      seo: scoreOf('seo'),
      performance: scoreOf('performance'),
    },
    largestPaintMs: timeOf('largest-contentful-paint'),
    blockedMs: timeOf('total-blocking-time'),
    layoutShift: timeOf('cumulative-layout-shift'),
    machine: median((result) => result.environment.benchmarkIndex),
    found: last ? complaintsOf(last) : [],
  }
}

/** The audits that lower a category's score. */
function complaintsOf(result: Result): string[] {
  return categories.flatMap((category) => {
    const isPerfect = (result.categories[category]?.score ?? 0) * 100 >= bounds[category]
    if (isPerfect) return []
    return (result.categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = result.audits[id]
      if (!audit || weight === 0 || audit.score === null || audit.score >= 0.9) return []
      return [`${category}: ${audit.title} (${id} ${audit.displayValue ?? audit.score})${elementsOf(audit.details)}`]
    })
  })
}

/** The first few elements or addresses that an audit names. */
function elementsOf(details: unknown): string {
  const items = Object(details).items
  if (!Array.isArray(items)) return ''
  const named = items.slice(0, 3).map((item) => String(Object(Object(item).node).snippet ?? Object(item).url ?? ''))
  return named
    .filter((name) => name !== '')
    .map((name) => `\n      ${name}`)
    .join('')
}
