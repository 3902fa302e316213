import { checkSchool, emptyCheck, type SchoolCheck } from '../check.ts'
import { type LaneTools, openFromHere } from '../command-line.cli.ts'
import { sources } from '../sources.ts'
import type { ListedSchool } from './directory.ts'

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
