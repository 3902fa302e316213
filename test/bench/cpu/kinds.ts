import { compareSections } from '../../../src/class-tracker/refresh/compare-sections.ts'
import type { Answer, GroupSections, Lane, SourceSection, TermScope } from '../../../src/sources/source.ts'
import { startWorld } from '../../world/server.ts'
import { addressOf, WORLD_SCHOOLS, type WorldSchool } from '../../sources/world-schools.ts'
import type { Figure } from '../report.ts'
import { formerStateOf, readOf } from './former-state.ts'
import { compareCpu, ratioFigure } from './pair.ts'
import { type Recorded, recorderOf, replayOf } from './replay.ts'
import { bareTokenizer } from './tokenizer.ts'

/** A term of the world's school then has 10 080 sections. */
const SIZE = { subjects: 24, sections: 420 }
const PAIRS = 9
/** Kinds that keep to twice the time; of the others it is only told how far they are from it. */
const MAX_RATIOS: Readonly<Record<string, number>> = { colleague: 2 }
/** They have parts of the bench of their own. */
const MEASURED_ELSEWHERE: ReadonlySet<string> = new Set(['banner9', 'cuny'])

/** A school of each kind, one that brings sections by pages of a term where the kind can. */
function schoolsByKind(): Map<string, WorldSchool> {
  return new Map(
    WORLD_SCHOOLS.toSorted((one, other) => Number(one.canReadWholeTerm) - Number(other.canReadWholeTerm))
      .filter(({ source, hasCourseCalls }) => source.kind === 'collegescheduler' || !hasCourseCalls)
      .filter(({ source }) => !MEASURED_ELSEWHERE.has(source.kind))
      .map((school) => [school.source.kind, school]),
  )
}

/** A term of one school, as its answers came. */
export interface RecordedTerm {
  kind: string
  /** Of each page or group, as the adapter read them. */
  groups: readonly (readonly SourceSection[])[]
  recorded: readonly Recorded[]
  /** Reads the same answers again, as it takes those of a network: through its session, page by page, each handed over. */
  read(take: (sections: readonly SourceSection[], index: number) => void): Promise<void>
}

/** Whole terms of the simulated schools, one of each of these kinds (default: of all). */
export async function* recordTerms(kinds: readonly string[] = []): AsyncGenerator<RecordedTerm> {
  for (const [kind, school] of schoolsByKind()) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue
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
    const term = await currentTerm(open(fetch), world.world.catalogue.terms[1]?.name ?? '')
    const scope = { ...term, school: school.school }
    const recorded: Recorded[] = []
    const groups: SourceSection[][] = []
    for await (const sections of pagesOf(open(recorderOf(recorded)), scope)) groups.push(sections)
    await world.close()
    yield {
      kind,
      groups,
      recorded,
      read: async (take) => {
        let index = 0
        for await (const sections of pagesOf(open(replayOf(recorded)), scope)) take(sections, index++)
      },
    }
  }
}

/**
 * CPU of a whole term of each kind, from its recorded answers to the comparison with what is stored, against `JSON.parse` or
 * the bare tokenizer of the same bytes.
 */
export async function measureKindsCpu(): Promise<Figure[]> {
  const figures: Figure[] = []
  for await (const term of recordTerms()) figures.push(...(await figuresOf(term)))
  return figures
}

async function figuresOf({ kind, groups, recorded, read }: RecordedTerm): Promise<Figure[]> {
  const { parse, bytes, answers } = parserOf(recorded)
  const justRead = (): Promise<void> => read(() => undefined)
  const refresh = refreshOf(groups, read)
  return [
    {
      what: `${kind}: sections`,
      value: groups.flat().length,
      unit: '',
      note: `${answers} answers, ${(bytes / 1e6).toFixed(1)} MB`,
    },
    ratioFigure(`${kind}: parse and normalize`, await compareCpu(justRead, parse, PAIRS)),
    ratioFigure(
      `${kind}: parse, normalize, compare (unchanged)`,
      await compareCpu(refresh, parse, PAIRS),
      MAX_RATIOS[kind],
    ),
  ]
}

/** What any reader of these answers does at least. */
export function parserOf(recorded: readonly Recorded[]): { parse: () => void; bytes: number; answers: number } {
  const isHtml = recorded.some(({ headers }) => headers.get('content-type')?.includes('html'))
  const bodies = recorded.map(({ bytes }) => bytes).filter((bytes) => isHtml || isJson(bytes))
  const parse = isHtml
    ? (): void => bodies.forEach((bytes) => bareTokenizer(new TextDecoder().decode(bytes), true))
    : (): void => bodies.forEach((bytes) => void JSON.parse(new TextDecoder().decode(bytes)))
  return { parse, bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0), answers: bodies.length }
}

/** Reads the term and compares it with what an earlier refresh stored of it. */
export function refreshOf(groups: RecordedTerm['groups'], read: RecordedTerm['read']): () => Promise<void> {
  const known = groups.map((sections, index) => formerStateOf(index + 1, sections))
  return async () => {
    let writes = 0
    await read((sections, index) => {
      writes += compareSections([readOf(index + 1, sections, known[index] ?? [])]).writes.length
    })
    if (writes !== 0) throw new Error(`${writes} sections differ.`)
  }
}

async function currentTerm(lane: Lane, name: string): Promise<TermScope> {
  const { terms, schools } = believed(await lane.termsAndSchools())
  const term = terms.find(({ year, season }) => name.toLowerCase() === `${year} ${season} term`)
  if (term === undefined) throw new Error(`The school lists no term ${name}.`)
  return { school: schools[0]?.code ?? '', school_name: '', term: term.code, term_name: term.name }
}

/** The sections of a term, by page where one search brings it, else by subject. */
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

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
    return true
  } catch {
    return false
  }
}
