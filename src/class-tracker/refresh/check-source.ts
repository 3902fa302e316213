import { checkSchool, emptyCheck, type SchoolCheck } from '../../sources/check.ts'
import { BudgetSpent } from '../../sources/source.ts'
import { openLane, type LaneSource, type OpenLane } from '../polling/open-lane.ts'

/** What a check found before it stopped. */
export interface SourceCheck extends SchoolCheck {
  requests: number
}

/** How long a person waits for a check, ms. */
const MAX_CHECK_MS = 15_000

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
    if (error instanceof BudgetSpent) check.why = budgetSentence(error, clock())
    else if (clock() >= deadline - 1) check.why = `There was no complete answer within ${MAX_CHECK_MS / 1000} seconds.`
    else throw error
  }
  return { ...check, requests: opened?.requests() ?? 0 }
}

function budgetSentence({ retry_at }: BudgetSpent, now: number): string {
  const seconds = Math.max(1, Math.ceil((retry_at - now) / 1000))
  return `This minute's requests are used up. Try again in ${seconds} s.`
}
