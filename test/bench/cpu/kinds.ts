import { compareSections } from '../../../src/class-tracker/refresh/compare-sections.ts'
import type { Answer, GroupSections, Lane, SourceSection, TermScope } from '../../../src/sources/source.ts'
import { startWorld } from '../../world/server.ts'
import { addressOf, WORLD_SCHOOLS } from '../../sources/world-schools.ts'
import type { Figure } from '../report.ts'
import { formerStateOf, readOf } from './former-state.ts'
import { compareCpu, ratioFigure } from './pair.ts'
import { bareTokenizer } from './tokenizer.ts'

/** A term of the world's school then has 10 080 sections. */
const SIZE = { subjects: 24, sections: 420 }
const PAIRS = 9
/** They have parts of the bench of their own. */
const MEASURED_ELSEWHERE: ReadonlySet<string> = new Set(['banner9', 'cuny', 'rutgers'])

/** What a school answered, in the order of the requests. */
interface Recorded {
  url: string
  headers: Headers
  status: number
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * CPU of a whole term of each kind, from its recorded answers to the comparison with what is stored, against `JSON.parse` or
 * the bare tokenizer of the same bytes. The answers are those of the simulated schools, and the adapter takes them as it
 * takes those of a network: through its session, page by page.
 */
export async function measureKindsCpu(): Promise<Figure[]> {
  const figures: Figure[] = []
  // A school of each kind, one that brings sections by pages of a term where the kind can.
  const schools = new Map(
    WORLD_SCHOOLS.toSorted((one, other) => Number(one.canReadWholeTerm) - Number(other.canReadWholeTerm))
      .filter(({ source, hasCourseCalls }) => !MEASURED_ELSEWHERE.has(source.kind) && !hasCourseCalls)
      .map((school) => [school.source.kind, school]),
  )
  for (const [kind, school] of schools) {
    const world = await startWorld({
      appUrl: 'http://localhost',
      twilioAccountSid: '',
      twilioAuthToken: '',
      size: SIZE,
    })
    const open = (fetchOne: typeof fetch): Lane =>
      school.source.openLane(addressOf(school, world.url), {
        fetch: (input, init) => fetchOne(input, init),
        budget: () => Promise.resolve(),
        now: Date.now,
        timeout_ms: 60_000,
      })
    const scope = await currentTerm(open(fetch), world.world.catalogue.terms[1]?.name ?? '')
    const recorded: Recorded[] = []
    const groups = await readTerm(open(recorderOf(recorded)), scope)
    await world.close()
    figures.push(...(await figuresOf(kind, groups, recorded, (fetchOne) => readTerm(open(fetchOne), scope))))
  }
  return figures
}

async function figuresOf(
  kind: string,
  groups: readonly (readonly SourceSection[])[],
  recorded: readonly Recorded[],
  read: (fetchOne: typeof fetch) => Promise<SourceSection[][]>,
): Promise<Figure[]> {
  const known = groups.map((sections, index) => formerStateOf(index + 1, sections))
  const isHtml = recorded.some(({ headers }) => headers.get('content-type')?.includes('html'))
  const bodies = recorded.map(({ bytes }) => bytes).filter((bytes) => isHtml || isJson(bytes))
  const parse = isHtml
    ? (): void => bodies.forEach((bytes) => bareTokenizer(new TextDecoder().decode(bytes), true))
    : (): void => bodies.forEach((bytes) => void JSON.parse(new TextDecoder().decode(bytes)))
  const justRead = async (): Promise<void> => void (await read(replayOf(recorded)))
  const refresh = async (): Promise<void> => {
    let writes = 0
    for (const [index, sections] of (await read(replayOf(recorded))).entries()) {
      writes += compareSections([readOf(index + 1, sections, known[index] ?? [])]).writes.length
    }
    if (writes !== 0) throw new Error(`${writes} sections differ.`)
  }
  const bytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const note = `${bodies.length} answers, ${(bytes / 1e6).toFixed(1)} MB`
  return [
    { what: `${kind}: sections`, value: groups.flat().length, unit: '', note },
    ratioFigure(`${kind}: parse and normalize`, await compareCpu(justRead, parse, PAIRS)),
    ratioFigure(`${kind}: parse, normalize, compare (unchanged)`, await compareCpu(refresh, parse, PAIRS)),
  ]
}

async function currentTerm(lane: Lane, name: string): Promise<TermScope> {
  const { terms, schools } = believed(await lane.termsAndSchools())
  const term = terms.find(({ year, season }) => name.toLowerCase() === `${year} ${season} term`)
  if (term === undefined) throw new Error(`The school lists no term ${name}.`)
  return { school: schools[0]?.code ?? '', school_name: '', term: term.code, term_name: term.name }
}

/** The sections of a term, by page where one search brings it, else by subject. */
async function readTerm(lane: Lane, scope: TermScope): Promise<SourceSection[][]> {
  const pages: SourceSection[][] = []
  if (lane.wholeTerm !== undefined) {
    for await (const page of lane.wholeTerm(scope)) pages.push(believed(page).sections)
    return pages
  }
  for (const { key, name } of believed(await lane.subjects(scope)).subjects) {
    const group = { ...scope, subject: key, subject_name: name, career: '' }
    pages.push(believed<GroupSections>(await lane.sections(group)).sections)
  }
  return pages
}

function believed<Value>(answer: Answer<Value>): Value {
  if (!answer.known) throw new Error(answer.why)
  return answer.value
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
    return true
  } catch {
    return false
  }
}

function recorderOf(recorded: Recorded[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const bytes = await response.clone().bytes()
    const headers = new Headers(response.headers)
    headers.delete('content-encoding')
    headers.delete('content-length')
    recorded.push({ url: String(input), headers, status: response.status, bytes })
    return response
  }
}

/** The recorded answers once more, in their order. */
function replayOf(recorded: readonly Recorded[]): typeof fetch {
  let next = 0
  return (input) => {
    const answer = recorded[next++]
    if (answer === undefined || answer.url !== String(input)) throw new Error(`There is no answer of ${String(input)}.`)
    const body = answer.bytes.byteLength === 0 ? null : answer.bytes
    return Promise.resolve(new Response(body, { status: answer.status, headers: answer.headers }))
  }
}
