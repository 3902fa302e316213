import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { checkSchool, emptyCheck, type SchoolCheck } from '../check.ts'
import { type LaneTools, openFromHere, printError, tableOf } from '../command-line.cli.ts'
import { runAtMost } from '../../lib/collections.ts'
import { parseJson } from '../../lib/text.ts'
import { sources } from '../sources.ts'
import type { ListedSchool } from './directory.ts'
import { MINUTE_MS } from '../../lib/time.ts'

/** How many hosts are asked in parallel; each has its own pace. */
const MAX_HOSTS = 8

const Result = z.object({
  id: z.string(),
  believed: z.boolean(),
  /** Why it was not believed. */
  why: z.nullable(z.string()),
  terms: z.number(),
  subjects: z.number(),
  sections: z.number(),
  requests: z.number(),
  /** ISO 8601 */
  checked_at: z.string(),
})
type Result = z.infer<typeof Result>

interface AllOptions {
  /** Keeps one result per line; schools that have one are not asked again. */
  file: string
  /** Requests per minute to one host. */
  perMinute: number
  timeoutMs: number
}

/** Several hosts in parallel, one request at a time for each. Returns all results, those of earlier runs too. */
export async function checkAll(schools: readonly ListedSchool[], options: AllOptions): Promise<Result[]> {
  const results = new Map(readResults(options.file).map((result) => [result.id, result]))
  const waiting = schools.filter(({ id }) => !results.has(id))
  const hosts = [...Map.groupBy(waiting, ({ url }) => new URL(url).host).values()]
  const limited = new Map<string, number>()
  let done = schools.length - waiting.length
  await runAtMost(MAX_HOSTS, hosts, async (host) => {
    const turn = turnsOf(MINUTE_MS / options.perMinute)
    for (const school of host) {
      const result = await resultOf(school, { turn, timeoutMs: options.timeoutMs, limited })
      appendFileSync(options.file, `${JSON.stringify(result)}\n`)
      results.set(school.id, result)
      done += 1
      printError(`${done}/${schools.length} ${school.id}: ${result.why ?? 'believed'}`)
    }
  })
  return schools.flatMap(({ id }) => results.get(id) ?? [])
}

/** Turns that are at least this many milliseconds apart. */
function turnsOf(milliseconds: number): () => Promise<void> {
  let next = 0
  return async () => {
    const wait = next - Date.now()
    next = Math.max(Date.now(), next) + milliseconds
    if (wait > 0) await sleep(wait)
  }
}

async function resultOf(school: ListedSchool, tools: LaneTools): Promise<Result> {
  const { why, terms, subjects, sections, requests } = await checkListed(school, tools)
  return {
    id: school.id,
    believed: why === null,
    why,
    terms: terms.length,
    subjects: subjects.length,
    sections: sections.length,
    requests,
    checked_at: new Date().toISOString(),
  }
}

/** The results in the file. A line that was cut off when the run was stopped does not count. */
function readResults(file: string): Result[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const result = Result.safeParse(parseJson(line))
      return result.success ? [result.data] : []
    })
}

export function resultsTable(results: readonly Result[]): string {
  return tableOf([
    ['ID', 'BELIEVED', 'TERMS', 'SUBJECTS', 'SECTIONS', 'REQUESTS', 'REASON'],
    ...results.map(({ id, believed, terms, subjects, sections, requests, why }) => [
      id,
      believed ? 'yes' : 'no',
      ...[terms, subjects, sections, requests].map(String),
      why ?? '',
    ]),
  ])
}

export interface ListedCheck extends SchoolCheck {
  requests: number
}

/**
 * Checks what a school of the directory answers now: its terms, the subjects of one, the sections of one of those.
 * Never throws.
 */
export async function checkListed(
  { kind, url, settings, school, time_zone }: ListedSchool,
  tools: LaneTools,
): Promise<ListedCheck> {
  const check = emptyCheck()
  const source = sources.get(kind)
  if (!source) return { ...check, why: `There is no adapter for ${kind}.`, requests: 0 }
  const { lane, requests } = openFromHere(source, { url, settings }, tools)
  try {
    await checkSchool(lane, { school, time_zone, now: Date.now() }, check)
  } catch (error) {
    check.why = String(error)
  }
  return { ...check, requests: requests() }
}
