import { known, type Unknown } from './answer.ts'
import { whyUnknown } from './judge.ts'
import type {
  Answer,
  Group,
  GroupSections,
  Lane,
  Observation,
  Source,
  SourceSection,
  SourceSubject,
  SourceTerm,
  TermsAndSchools,
} from './source.ts'
import { termEnd } from './term-end.ts'

interface CheckRequest {
  term: string
  subject: string
  /** '' if the system is a single school. */
  school: string
  /** Null requests all careers, in a system that has several. */
  career: string | null
}

/**
 * Every section of one subject, as for an operator's check: all careers in turn unless one is named. One answer that is
 * not believed makes the result unknown.
 */
export async function checkSubject(source: Source, lane: Lane, request: CheckRequest): Promise<Answer<GroupSections>> {
  const group: Group = { ...request, school_name: '', term_name: '', subject_name: '', career: '' }
  const careers = await careersToAsk(source, lane, group, request.career)
  if (!careers.known) return careers
  let sections: GroupSections['sections'] = []
  let warnings = [...careers.warnings]
  for (const career of careers.value) {
    const answer = await lane.sections({ ...group, career })
    if (!answer.known) return answer
    const found = await withSampledSeats(lane, { ...group, career }, answer.value.sections)
    sections = [...sections, ...found.sections]
    const { whyIncomplete } = answer.value
    warnings = [
      ...warnings,
      ...(whyIncomplete === undefined ? [] : [whyIncomplete]),
      ...answer.warnings,
      ...found.warnings,
    ]
  }
  return known({ sections }, warnings)
}

async function careersToAsk(
  source: Source,
  lane: Lane,
  group: Group,
  career: string | null,
): Promise<Answer<string[]>> {
  if (career !== null) return known([career])
  if (!source.scopes.includes('career')) return known([''])
  const offered = await lane.subjects(group)
  if (!offered.known) return offered
  const isOffered = offered.value.subjects.some(({ key }) => key === group.subject)
  return known(offered.value.careers, isOffered ? [] : [`The school does not list a subject ${group.subject}.`])
}

/** As far as the check got. */
export interface SchoolCheck {
  /** Why the check stopped; null if everything was understood. */
  why: string | null
  /** The answer that stopped it, if one did. */
  unknown?: Unknown
  warnings: string[]
  terms: SourceTerm[]
  schools: TermsAndSchools['schools']
  /** What was requested next: the first current or future term, at the named school or the first one. */
  asked: { term: SourceTerm; school: string } | null
  subjects: SourceSubject[]
  subject: SourceSubject | null
  sections: SourceSection[]
}

export function emptyCheck(): SchoolCheck {
  return { why: null, warnings: [], terms: [], schools: [], asked: null, subjects: [], subject: null, sections: [] }
}

interface CheckedSchool {
  /** Its code in the system; '' for the first or only school there. */
  school: string
  /** Codes of what to request; default: the first that fits. */
  term?: string | undefined
  subject?: string | undefined
  /** Default: the first that the school lists. */
  career?: string | null
  time_zone: string
  /** ms since epoch */
  now: number
}

/**
 * Makes the requests of a refresh: a school's terms, the subjects of one term, the sections of one subject. Fills
 * `check` as the answers arrive, so that a caller that stops it early still has the earlier ones.
 */
export async function checkSchool(lane: Lane, asked: CheckedSchool, check: SchoolCheck): Promise<void> {
  function believed<Value>(answer: Answer<Value>): Value | null {
    if (answer.known) {
      check.warnings = [...check.warnings, ...answer.warnings]
      return answer.value
    }
    check.why = answer.why
    check.unknown = answer
    return null
  }
  const offered = believed(await lane.termsAndSchools())
  if (!offered) return
  check.terms = offered.terms
  check.schools = offered.schools
  const notOver = offered.terms.filter((one) => termEnd(one, asked.time_zone) > asked.now)
  const term =
    asked.term === undefined
      ? (notOver.find(({ is_available }) => is_available) ?? notOver[0])
      : offered.terms.find(({ code }) => code === asked.term)
  const school = asked.school === '' ? offered.schools[0] : offered.schools.find(({ code }) => code === asked.school)
  if (!term)
    check.why = asked.term === undefined ? 'It listed no current or future term.' : `It listed no term ${asked.term}.`
  else if (!school && asked.school !== '') check.why = `It listed no school ${asked.school}.`
  if (!term || check.why !== null) return
  const { code, name } = school ?? { code: '', name: '' }
  check.asked = { term, school: name }
  const scope = { school: code, school_name: name, term: term.code, term_name: term.name }
  const listed = believed(await lane.subjects(scope))
  if (!listed) return
  check.subjects = listed.subjects
  const subject = listed.subjects.find(({ key }) => asked.subject === undefined || key === asked.subject)
  if (!subject && asked.subject !== undefined) check.why = `It listed no subject ${asked.subject}.`
  if (!subject) return
  check.subject = subject
  const career = asked.career ?? listed.careers[0] ?? ''
  const group = { ...scope, subject: subject.key, subject_name: subject.name, career }
  const listing = believed(await lane.sections(group))
  if (!listing) return
  check.sections = listing.sections
  if (listing.sections.length === 0)
    check.warnings.push(`The school says it has no sections of ${subject.key} in term ${term.code}.`)
  const found = await withSampledSeats(lane, group, listing.sections)
  check.sections = found.sections
  check.warnings = [...check.warnings, ...found.warnings, ...unclearOf(found.sections)]
}

/** How many sections a check requests individually if the list has no seats. */
const MAX_SAMPLED = 3

/** Whether the list of the section has no seats, which is not a fault of its row. */
function hasNoSeats({ stated, has_figures, doubts }: Observation): boolean {
  return stated === 'unknown' && has_figures === false && doubts.length === 0
}

/** The sections of a list, the first few with their seats if the list has none; and warnings for a person. */
async function withSampledSeats(
  lane: Lane,
  group: Group,
  sections: readonly SourceSection[],
): Promise<{ sections: SourceSection[]; warnings: string[] }> {
  const seen = new Map<string, Observation>()
  const warnings: string[] = []
  const sampled = lane.details ? sections.filter(hasNoSeats).slice(0, MAX_SAMPLED) : []
  for (const { section_key, session_code } of sampled) {
    const answer = await lane.details?.(group, section_key, session_code)
    if (answer?.known) seen.set(section_key, answer.value)
    else if (answer) warnings.push(`${section_key}: ${answer.why}`)
  }
  if (sampled.length > 0) {
    warnings.push(
      `Its lists have no seats; ${sampled.length} of ${sections.length} sections were requested individually.`,
    )
  }
  return { sections: sections.map((section) => ({ ...section, ...seen.get(section.section_key) })), warnings }
}

/** Why the status of sections is unknown, one sentence each; none for those that were not requested individually. */
export function unclearOf(sections: readonly SourceSection[]): string[] {
  return sections.flatMap((section) => {
    const why = hasNoSeats(section) ? null : whyUnknown(section)
    return why === null ? [] : [`${section.number}: ${why}`]
  })
}
