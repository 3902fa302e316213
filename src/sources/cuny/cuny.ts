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
  Tools,
  WatchedGroup,
} from '../source.ts'
import { seatsAmong } from '../watched-sections.ts'
import { detailAddress } from './calls.ts'
import { CunySession, type Scope } from './session.ts'

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
  reads: { catalog: 'group', status: 'group', figures: 'details' },
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
async function readSubjects(session: CunySession, scope: Scope): Promise<Answer<SubjectsAndCareers>> {
  let answer = await session.criteria(scope)
  if (answer.known && answer.value.subjects.length === 0) {
    const offered = await session.termsAndSchools()
    if (!offered.known) return offered
    session.startAnew()
    answer = await session.criteria(scope)
  }
  if (!answer.known) return answer
  const subjects = answer.value.subjects.map(({ value, label }) => ({ key: value, name: label }))
  const careers = answer.value.careers.map(({ value }) => value)
  const warnings = subjects.length === 0 ? [`${scope.school} offers no subject in term ${scope.term}.`] : []
  return known({ subjects, careers }, warnings)
}

/** One request to choose each college and term, one for each group in it. */
async function* readSeats(
  session: CunySession,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  const asked = groups.map((watched, index) => ({ watched, index }))
  const pairs = Map.groupBy(asked, ({ watched: { group } }) => `${group.school}/${group.term}`)
  for (const { watched, index } of [...pairs.values()].flat()) {
    const asked_at = now()
    yield { index, asked_at, answer: seatsAmong(await session.search(watched.group), watched) }
  }
}

/** The section's page; without the college's label, only the first page can be linked. */
function link(address: SourceAddress, section: SectionIdentity): string {
  const { school_name = '' } = section
  return school_name === '' ? `${address.url}/search.jsp` : detailAddress(address, { ...section, school_name })
}
