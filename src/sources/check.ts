import { known } from './answer.ts'
import type { Answer, Group, GroupSections, Lane, Source } from './source.ts'

interface CheckRequest {
  term: string
  subject: string
  /** '' where the system is one school. */
  school: string
  /** Null asks for all careers, in a system that tells them apart. */
  career: string | null
}

/**
 * Every section of one subject as an operator would check it: all careers one after the other unless one is named. One
 * answer that is not believed makes the whole unknown.
 */
export async function checkSubject(source: Source, lane: Lane, request: CheckRequest): Promise<Answer<GroupSections>> {
  const { term, subject, school } = request
  const group: Group = { school, school_name: '', term, term_name: '', subject, subject_name: '', career: '' }
  const careers = await careersToAsk(source, lane, group, request.career)
  if (!careers.known) return careers
  const sections: GroupSections['sections'] = []
  const warnings = [...careers.warnings]
  for (const career of careers.value) {
    const answer = await lane.sections({ ...group, career })
    if (!answer.known) return answer
    sections.push(...answer.value.sections)
    warnings.push(...answer.warnings)
  }
  if (sections.length === 0) warnings.push(`The school says it has no sections of ${subject} in term ${term}.`)
  return known({ sections, stated_count: sections.length }, warnings)
}

async function careersToAsk(
  source: Source,
  lane: Lane,
  group: Group,
  career: string | null,
): Promise<Answer<string[]>> {
  if (career !== null) return known([career])
  if (!source.has_schools) return known([''])
  const offered = await lane.subjects(group)
  if (!offered.known) return offered
  const isOffered = offered.value.subjects.some(({ key }) => key === group.subject)
  return known(offered.value.careers, isOffered ? [] : [`The school does not list a subject ${group.subject}.`])
}
