import type { Answer, GroupSections, Lane, SourceSection, TermScope, Tools } from '../../../src/sources/source.ts'
import { addressOf, WORLD_SCHOOLS, type WorldSchool } from '../../sources/world-schools.ts'
import { startWorld } from '../../world/server.ts'
import { type Recorded, recorderOf, type Replayed, replayOf } from './replay.ts'

/** A term of the world's school then has 10 080 sections. */
const SIZE = { subjects: 24, sections: 420 }
/** They have separate parts of the bench. */
const MEASURED_ELSEWHERE: ReadonlySet<string> = new Set(['banner9', 'cuny'])

/** A term of one school of a kind, with its recorded answers. */
export interface RecordedTerm {
  kind: string
  /** The kind of the school's system. */
  url: string
  scope: TermScope
  recorded: readonly Recorded[]
}

/** A school of each kind, one that returns a term page by page if the kind can. */
const schoolsByKind: ReadonlyMap<string, WorldSchool> = new Map(
  WORLD_SCHOOLS.toSorted((one, other) => Number(one.canReadWholeTerm) - Number(other.canReadWholeTerm))
    .filter(({ hasCourseCalls }) => !hasCourseCalls)
    .filter(({ source }) => !MEASURED_ELSEWHERE.has(source.kind))
    .map((school) => [school.source.kind, school]),
)

/** Kinds that can be recorded. */
export const RECORDED_KINDS: readonly string[] = [...schoolsByKind.keys()]

/** Requests a simulated school's whole current term. */
export async function recordTerm(kind: string): Promise<RecordedTerm> {
  const school = schoolOf(kind)
  const world = await startWorld({ appUrl: 'http://localhost', twilioAccountSid: '', twilioAuthToken: '', size: SIZE })
  const url = addressOf(school, world.url).url
  const term = await currentTerm(laneOf(school, url, fetch), world.world.catalog.terms[1]?.name ?? '')
  const scope = { ...term, school: school.school }
  const recorded: Recorded[] = []
  for await (const _page of pagesOf(laneOf(school, url, recorderOf(recorded)), scope));
  await world.close()
  return { kind, url, scope, recorded }
}

/** Reads a recorded term like one from a network: through a session, page by page, each passed on. */
export async function readTerm(
  { kind, url, scope }: Omit<RecordedTerm, 'recorded'>,
  answers: readonly Replayed[],
  take: (sections: readonly SourceSection[], index: number) => void,
): Promise<void> {
  let index = 0
  for await (const sections of pagesOf(laneOf(schoolOf(kind), url, replayOf(answers)), scope)) take(sections, index++)
}

export function toolsOf(fetchOne: typeof fetch): Tools {
  return {
    fetch: (input, init) => fetchOne(input, init),
    budget: () => Promise.resolve(),
    now: Date.now,
    timeout_ms: 60_000,
  }
}

function schoolOf(kind: string): WorldSchool {
  const school = schoolsByKind.get(kind)
  if (school === undefined) throw new Error(`No school of kind ${kind} is recorded.`)
  return school
}

function laneOf({ source, settings }: WorldSchool, url: string, fetchOne: typeof fetch): Lane {
  return source.openLane({ url, settings }, toolsOf(fetchOne))
}

async function currentTerm(lane: Lane, name: string): Promise<TermScope> {
  const { terms, schools } = believed(await lane.termsAndSchools())
  const term = terms.find(({ year, season }) => name.toLowerCase() === `${year} ${season} term`)
  if (term === undefined) throw new Error(`The school lists no term ${name}.`)
  return { school: schools[0]?.code ?? '', school_name: '', term: term.code, term_name: term.name }
}

/** The sections of a term, by page if one search returns it, otherwise by subject. */
async function* pagesOf(lane: Lane, scope: TermScope): AsyncGenerator<SourceSection[]> {
  if (lane.wholeTerm !== undefined) {
    for await (const page of lane.wholeTerm(scope)) yield believed(page).sections
    return
  }
  for (const { key, name } of believed(await lane.subjects(scope)).subjects) {
    const group = { ...scope, subject: key, subject_name: name, career: '' }
    yield believed<GroupSections>(await lane.sections(group)).sections
  }
}

function believed<Value>(answer: Answer<Value>): Value {
  if (!answer.known) throw new Error(answer.why)
  return answer.value
}
