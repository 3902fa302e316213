import { whyUnknown } from '../../sources/judge.ts'
import { type Answer, BudgetSpent, type Lane, type SourceSection, type SourceSubject } from '../../sources/source.ts'
import type { SourceTerm, TermsAndSchools } from '../../sources/source.ts'
import { openLane, type LaneSource, type OpenLane } from '../polling/open-lane.ts'
import { termsWorthKeeping } from './write-terms.ts'

/** What a check found out, as far as it came. */
export interface SourceCheck {
  /** Why it went no further; null when all of it was understood. */
  why: string | null
  requests: number
  warnings: string[]
  terms: SourceTerm[]
  schools: TermsAndSchools['schools']
  /** What was asked next: the first term that is not over, at the first school. */
  asked: { term: SourceTerm; school: string } | null
  subjects: SourceSubject[]
  subject: SourceSubject | null
  sections: SourceSection[]
}

/** Longest a person waits for a check, ms. */
const MAX_CHECK_MS = 15_000

/**
 * Asks a school what a refresh would ask: its terms, the subjects of one, the sections of one of those. It keeps to the budget
 * of the source and writes nothing. Whatever the school does, the answer is here in time.
 */
export async function checkSource(
  env: Env,
  source: LaneSource & { time_zone: string },
  clock: () => number,
): Promise<SourceCheck> {
  const check: SourceCheck = {
    why: null,
    requests: 0,
    warnings: [],
    terms: [],
    schools: [],
    asked: null,
    subjects: [],
    subject: null,
    sections: [],
  }
  const deadline = clock() + MAX_CHECK_MS
  let opened: OpenLane | null = null
  try {
    opened = await openLane(env, source, { now: clock, deadline })
    check.why = await ask(opened.lane, source.time_zone, check, clock())
  } catch (error) {
    if (error instanceof BudgetSpent) check.why = budgetSentence(error, clock())
    else if (clock() >= deadline - 1) check.why = `There was no whole answer within ${MAX_CHECK_MS / 1000} seconds.`
    else throw error
  }
  check.requests = opened?.requests() ?? 0
  return check
}

async function ask(lane: Lane, timeZone: string, check: SourceCheck, now: number): Promise<string | null> {
  function believed<Value>(answer: Answer<Value>): Value | null {
    if (answer.known) check.warnings.push(...answer.warnings)
    else check.why = answer.why
    return answer.known ? answer.value : null
  }
  const offered = believed(await lane.termsAndSchools())
  if (!offered) return check.why
  check.terms = offered.terms
  check.schools = offered.schools
  const kept = termsWorthKeeping(offered, timeZone, now)
  const term = kept.find(({ is_available }) => is_available) ?? kept[0]
  if (!term) return 'It listed no term that is not over yet.'
  const [school = { code: '', name: '' }] = offered.schools
  check.asked = { term, school: school.name }
  const scope = { school: school.code, school_name: school.name, term: term.code, term_name: term.name }
  const listed = believed(await lane.subjects(scope))
  if (!listed) return check.why
  check.subjects = listed.subjects
  const [subject] = listed.subjects
  if (!subject) return null
  check.subject = subject
  const [career = ''] = listed.careers
  const group = believed(await lane.sections({ ...scope, subject: subject.key, subject_name: subject.name, career }))
  check.sections = group?.sections ?? []
  for (const section of check.sections) {
    const why = whyUnknown(section)
    if (why !== null) check.warnings.push(`${section.number}: ${why}`)
  }
  return check.why
}

function budgetSentence({ retry_at }: BudgetSpent, now: number): string {
  const seconds = Math.max(1, Math.ceil((retry_at - now) / 1000))
  return `Its requests of this minute are spent. Try again in ${seconds} s.`
}
