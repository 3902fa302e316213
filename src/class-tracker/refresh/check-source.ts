import { checkSchool, emptyCheck, type SchoolCheck } from '../../sources/check.ts'
import { BudgetSpent } from '../../sources/source.ts'
import { openLane, type LaneSource, type OpenLane } from '../polling/open-lane.ts'

/** What a check found before it stopped. */
export interface SourceCheck extends SchoolCheck {
  requests: number
}

/** How long a person waits for a check, in ms. */
export const MAX_CHECK_MS = 15_000

/**
 * The requests of a refresh for one school (`school`: its code; default: the first), within the budget and in time.
 * Writes nothing.
 */
export async function checkSource(
  env: Env,
  source: LaneSource & { time_zone: string; school?: string },
  clock: () => number,
): Promise<SourceCheck> {
  const check = emptyCheck()
  const deadline = clock() + MAX_CHECK_MS
  let opened: OpenLane | null = null
  try {
    opened = await openLane(env, source, { now: clock, deadline })
    const { time_zone, school = '' } = source
    await checkSchool(opened.lane, { school, time_zone, now: clock() }, check)
  } catch (error) {
    check.why = whyStopped(error, clock(), deadline)
  }
  return { ...check, requests: opened?.requests() ?? 0 }
}

/** Why a check stopped before its end: the budget, or its time, was used up. @throws any other error */
export function whyStopped(error: unknown, now: number, deadline: number): string {
  if (error instanceof BudgetSpent && error.retry_at > now)
    return `This minute's requests are used up. Try again in ${Math.ceil((error.retry_at - now) / 1000)} s.`
  if (error instanceof BudgetSpent || now >= deadline - 1)
    return `There was no complete answer within ${MAX_CHECK_MS / 1000} seconds.`
  throw error
}
