import { checkSchool, emptyCheck, type SchoolCheck } from '../check.ts'
import { sources } from '../sources.ts'
import type { ListedSchool } from './directory.ts'

interface CheckTools {
  fetch: (input: string, init: RequestInit) => Promise<Response>
  /** Resolves when the next request may go out. */
  turn: () => Promise<void>
  /** ms since epoch */
  now: () => number
  /** Longest wait for one answer, ms. */
  timeout_ms: number
}

/**
 * Checks what a school of the directory answers now: its terms, the subjects of one, the sections of one of those.
 * Never throws.
 */
export async function checkListed(
  { kind, url, settings, school, time_zone }: ListedSchool,
  { turn, now, ...tools }: CheckTools,
): Promise<SchoolCheck & { requests: number }> {
  const check = emptyCheck()
  const source = sources.get(kind)
  if (!source) return { ...check, why: `There is no adapter for ${kind}.`, requests: 0 }
  let requests = 0
  async function budget(): Promise<void> {
    await turn()
    requests += 1
  }
  try {
    const lane = source.openLane({ url, settings }, { ...tools, now, budget })
    await checkSchool(lane, { school, time_zone, now: now() }, check)
  } catch (error) {
    check.why = String(error)
  }
  return { ...check, requests }
}
