import { type Group, hasSchools, type Lane, type SourceTerm, type WatchedGroup } from '../../src/sources/source.ts'
import type { SectionReport } from '../world/schools/find.ts'
import { believed } from './lanes.ts'
import type { WorldSchool } from './world-schools.ts'

export async function readTerm(lane: Lane, name: string): Promise<SourceTerm> {
  const { terms } = believed(await lane.termsAndSchools())
  const term = terms.find(({ year, season }) => name.toLowerCase() === `${year} ${season} term`)
  if (term === undefined) throw new Error(`The school lists no term ${name}.`)
  return term
}

/** Every group of a school in a term: each subject with each career. */
export async function readGroups(lane: Lane, school: WorldSchool, term: SourceTerm): Promise<Group[]> {
  const schoolName = hasSchools(school.source) ? school.schoolName : ''
  const scope = { school: school.school, school_name: schoolName, term: term.code, term_name: term.name }
  const { subjects, careers } = believed(await lane.subjects(scope))
  return subjects.flatMap(({ key, name }) =>
    careers.map((career) => ({ ...scope, subject: key, subject_name: name, career })),
  )
}

/** The groups with those of the reported sections they contain as watches; groups without any are left out. */
export function watchAll(
  groups: readonly Group[],
  reports: readonly SectionReport[],
  homes: ReadonlyMap<string, Group>,
  levels: ReadonlyMap<string, string> = new Map(),
): WatchedGroup[] {
  const ofGroup = Map.groupBy(reports, ({ section }) => homes.get(section))
  return groups
    .map((group) => ({
      group,
      watched: (ofGroup.get(group) ?? []).map(({ section }) => ({
        section_key: section,
        level: levels.get(section) ?? '',
      })),
    }))
    .filter(({ watched }) => watched.length > 0)
}
