import { known } from '../answer.ts'
import type { Answer, GroupSections, SourceAddress } from '../source.ts'

/** Null: every section belongs to the school. */
export type CampusFilter = ((campus: string) => boolean) | null

/** How the campus of a row is compared with the setting. */
const FIRST_WORD = 'first word'

export const CAMPUS_SETTINGS = [
  { name: 'campus', meaning: 'The campus as its rows name it, if several colleges share a site.' },
  {
    name: 'campus_match',
    meaning: '"first word" where rows begin with it and go on; "exact", or nothing, where they equal it.',
  },
] as const

/**
 * Whether a section on this campus belongs to the school, according to the operator's settings; null if the address is
 * a single school. Whole names are compared, because first words collide on some hosts, and case is kept.
 */
export function campusFilter({ settings }: SourceAddress): CampusFilter {
  const { campus: wanted = '', campus_match: how } = settings
  if (wanted === '') return null
  if (how !== FIRST_WORD) return (campus) => campus === wanted
  return (campus) => campus.startsWith(wanted) && !/^[\p{L}\p{N}]/u.test(campus.slice(wanted.length))
}

/** The answer without the sections of other campuses. Rows without a campus are left out too. */
export function ofCampus(answer: Answer<GroupSections>, isOurs: CampusFilter): Answer<GroupSections> {
  if (isOurs === null || !answer.known) return answer
  const { value, warnings } = answer
  const sections = value.sections.filter(({ campus = '' }) => isOurs(campus))
  const withoutCampus = value.sections.filter(({ campus = '' }) => campus === '').length
  const left = withoutCampus === 0 ? [] : [`${withoutCampus} rows name no campus; they are left out.`]
  const stated_count = value.stated_count === null ? null : sections.length
  return known({ ...value, sections, stated_count }, [...warnings, ...left])
}
