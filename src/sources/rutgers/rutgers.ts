import { refuseAddress } from '../address.ts'
import { mapKnown } from '../answer.ts'
import { NO_FIGURES } from '../judge.ts'
import { MIN_APART_MS } from '../list-lengths.ts'
import type {
  GroupSeats,
  Lane,
  Observation,
  SectionIdentity,
  Source,
  SourceAddress,
  Tools,
  WatchedGroup,
} from '../source.ts'
import { numbered } from '../watched-sections.ts'
import { ENDING, homeOf } from './calls.ts'
import { RutgersSchedule } from './schedule.ts'

/**
 * Rutgers' schedule of classes. It has two lists, each for a whole term: a short one with the numbers of open sections,
 * and one of 20 MB with everything else. It has no figures and no waitlists.
 */
export const rutgers: Source = {
  kind: 'rutgers',
  label: 'Rutgers Schedule of Classes',
  settings: [],
  address: {
    ending: ENDING,
    help: `up to and including ${ENDING}`,
    example: `https://classes.rutgers.edu${ENDING}`,
  },
  scopes: ['school'],
  number_label: 'Index',
  reads: { catalog: 'term', status: 'term' },
  same_status_ms: MIN_APART_MS,
  checkAddress: (url) => refuseAddress(url, ENDING),
  openLane,
  link,
}

function openLane(address: SourceAddress, tools: Tools): Lane {
  const schedule = new RutgersSchedule(address, tools)
  return {
    termsAndSchools: () => schedule.terms(),
    subjects: () => schedule.subjects(),
    sections: (group) => schedule.sections(group),
    wholeTerm: (scope, from) => schedule.wholeTerm(scope, from ?? null),
    seats: (groups) => readSeats(schedule, tools.now, groups),
    memo: () => schedule.memo(),
  }
}

/** The page of the schedule that looks the section up by its number. */
function link(address: SourceAddress, { term, school, section_key }: SectionIdentity): string {
  if (term === '' || section_key === '') return homeOf(address)
  const words = new URLSearchParams({ keyword: section_key, semester: term, campus: school, level: 'U,G' })
  return `${homeOf(address)}#keyword?${words}`
}

/** One request for all groups of a term and campus. A section that is not in the list is closed. */
async function* readSeats(
  schedule: RutgersSchedule,
  now: Tools['now'],
  groups: readonly WatchedGroup[],
): AsyncGenerator<GroupSeats> {
  const byList = Map.groupBy(numbered(groups), ({ watched: { group } }) => `${group.school}/${group.term}`)
  for (const asked of byList.values()) {
    const [first] = asked
    if (first === undefined) continue
    const asked_at = now()
    const open = await schedule.openSections(first.watched.group)
    for (const { index, watched } of asked) {
      const seen = (list: ReadonlySet<string>) => watched.watched.map(({ section_key }) => observe(section_key, list))
      yield { index, asked_at, answer: mapKnown(open, (list) => ({ seen: seen(list) })) }
    }
  }
}

function observe(index: string, open: ReadonlySet<string>): Observation {
  return { section_key: index, stated: open.has(index) ? 'open' : 'closed', figures: NO_FIGURES, doubts: [] }
}
