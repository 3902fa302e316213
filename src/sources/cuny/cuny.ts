import { refuseAddress } from '../address.ts'
import { known } from '../answer.ts'
import type {
  Answer,
  GroupSeats,
  Lane,
  SectionIdentity,
  Source,
  SourceAddress,
  SubjectsAndCareers,
  TermScope,
  Tools,
  WatchedGroup,
} from '../source.ts'
import { askEach, numbered, seatsAmong } from '../watched-sections.ts'
import { Calls } from './calls.ts'
import { CunySession } from './session.ts'

const ENDING = '/CFGlobalSearchTool'

/**
 * CUNY Global Search: 25 colleges on one site, HTML only. A group is a subject and career of a college in a term. The
 * lists have a status and no figures. Those are only on each section's own page, one request each, so they are read
 * only for a second look.
 */
export const cuny: Source = {
  kind: 'cuny',
  label: 'CUNY Global Search',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}`,
    example: `https://globalsearch.cuny.edu${ENDING}`,
  },
  scopes: ['school', 'career'],
  number_label: 'Class #',
  reads: { catalog: 'group', status: 'group' },
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const session = new CunySession(address, tools)
  return {
    termsAndSchools: () => session.termsAndSchools(),
    subjects: (scope) => readSubjects(session, scope),
    sections: (group) => session.search(group),
    seats: (groups) => readSeats(session, tools.now, groups),
    details: (group, sectionKey, sessionCode) => session.details(group, sectionKey, sessionCode),
  }
}

/**
 * Subjects and careers of a college in a term. A broken site also shows a criteria page without subjects, so it is
 * believed only if the site still offers the college and term, and shows the same in a new session.
 */
async function readSubjects(session: CunySession, scope: TermScope): Promise<Answer<SubjectsAndCareers>> {
  let answer = await session.criteria(scope)
  if (answer.known && answer.value.subjects.length === 0) {
    const offered = await session.termsAndSchools()
    if (!offered.known) return offered
    session.startOver()
    answer = await session.criteria(scope)
  }
  if (!answer.known) return answer
  const subjects = answer.value.subjects.map(({ value, label }) => ({ key: value, name: label }))
  const careers = answer.value.careers.map(({ value }) => value)
  const warnings = subjects.length === 0 ? [`${scope.school} offers no subject in term ${scope.term}.`] : []
  return known({ subjects, careers }, warnings)
}

/** One request to choose each college and term, one for each group in it. */
function readSeats(
  session: CunySession,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
): AsyncIterable<GroupSeats> {
  const pairs = Map.groupBy(numbered(groups), ({ watched: { group } }) => `${group.school}/${group.term}`)
  return askEach([...pairs.values()].flat(), now, async (watched) =>
    seatsAmong(await session.search(watched.group), watched),
  )
}

/** The section's page; without the college's label, only the first page can be linked. */
function link(address: SourceAddress, section: SectionIdentity): string {
  const calls = new Calls(address)
  return section.school_name ? calls.detailsPage(section) : calls.firstPage
}
