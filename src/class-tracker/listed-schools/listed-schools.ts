import { query, read, type RowOf } from '../../db/query.ts'
import { source } from '../../db/schema/index.ts'
import { searchDirectory, parseDirectory, systemName, whyNotRead } from '../../sources/schools/directory.ts'
import type { ListedSchool } from '../../sources/schools/directory.ts'
import { hasSchools } from '../../sources/source.ts'
import { sources } from '../../sources/sources.ts'
import { notFound, upstreamError } from '../../web/refusal.ts'
import type { AddSchoolProps, ListedSchoolFacts, ListedSchoolSummary } from './contract.ts'
import { numberLabel } from '../courses/section-row.ts'
import { settingsOf } from '../courses/host-share.ts'
import { MAX_SOURCES } from '../courses/unread-sections.ts'

/** Schools shown of a search. */
const MAX_SHOWN = 50

/** Where the build puts the directory. The host is arbitrary: the binding serves only this site's files. */
const DIRECTORY_URL = 'https://assets.local/schools.json'

/** Only a finished answer is kept, because one request must not await another's I/O. */
let kept: ListedSchool[] | null = null

/** The directory of schools, fetched when first needed and kept for the lifetime of the isolate. @throws upstreamError */
export async function readDirectory(assets: Fetcher): Promise<ListedSchool[]> {
  if (kept) return kept
  const answer = await assets.fetch(DIRECTORY_URL)
  if (!answer.ok) throw upstreamError(502, 'The directory of schools did not respond. Please try again later.')
  kept = parseDirectory(await answer.text())
  return kept
}

/** The school with that id. @throws notFound */
export async function readListedSchool({ ASSETS }: Pick<Env, 'ASSETS'>, id: string): Promise<ListedSchool> {
  const listed = (await readDirectory(ASSETS)).find((school) => school.id === id)
  if (!listed) throw notFound('The directory has no such school.')
  return listed
}

/** The result of a search in the directory; empty without search words. */
export async function searchListedSchools(env: Pick<Env, 'ASSETS' | 'DB'>, q: string): Promise<AddSchoolProps> {
  const [directory, added] = await Promise.all([readDirectory(env.ASSETS), readSources(env.DB)])
  const found = q === '' ? [] : searchDirectory(directory, q)
  return {
    q,
    schools: found.slice(0, MAX_SHOWN).map((listed) => summaryOf(listed, added)),
    found_count: found.length,
    listed_count: directory.length,
    readable_count: directory.filter((listed) => whyNotRead(listed) === null).length,
    asked: null,
  }
}

/** What is known about one school. */
export async function listedSchoolFacts(db: D1Database, listed: ListedSchool): Promise<ListedSchoolFacts> {
  const { url, time_zone, school, settings, last_term = null, notes = [], as_of } = listed
  const protocol = sources.get(listed.kind)
  return {
    ...summaryOf(listed, await readSources(db)),
    url,
    time_zone,
    number_label: numberLabel(listed.kind),
    school_code: school,
    shared_name: protocol && hasSchools(protocol) ? protocol.label : null,
    last_term,
    notes,
    as_of,
    search_url: protocol?.link({ url, settings }, { school, term: '', section_key: '' }) ?? new URL(url).origin,
  }
}

/** The name of the source that will read the school: the system's name when it serves several schools. */
export function sourceNameOf({ kind, name }: ListedSchool): string {
  const protocol = sources.get(kind)
  return protocol && hasSchools(protocol) ? protocol.label : name
}

/** A school's system; without settings, any school there. */
type SystemAddress = Pick<ListedSchool, 'kind' | 'url'> & Partial<Pick<ListedSchool, 'settings'>>

/** The source that already reads the school, however it was added; null if none does. */
export async function findSourceOf(db: D1Database, address: SystemAddress): Promise<ListedSchoolSummary['source']> {
  return sourceAmong(await readSources(db), address)
}

const findAllSources = () =>
  query
    .select({ id: source.id, name: source.name, kind: source.kind, url: source.url, settings: source.settings })
    .from(source)
    .limit(MAX_SOURCES)

const readSources = (db: D1Database) => read(db, findAllSources())

type Added = RowOf<ReturnType<typeof findAllSources>>

function summaryOf(listed: ListedSchool, added: readonly Added[]): ListedSchoolSummary {
  const { id, name, state, country } = listed
  return {
    id,
    name,
    state,
    country,
    system: systemName(listed),
    why_not_read: whyNotRead(listed),
    source: sourceAmong(added, listed),
  }
}

function sourceAmong(added: readonly Added[], { kind, url, settings }: SystemAddress): ListedSchoolSummary['source'] {
  const formOf = (address: string): string => sources.get(kind)?.canonicalAddress?.(address) ?? address
  const wanted = formOf(url)
  const found = added.find(
    (one) =>
      one.kind === kind &&
      formOf(one.url) === wanted &&
      (settings === undefined || isSame(settingsOf(one.settings), settings)),
  )
  return found ? { id: found.id, name: found.name } : null
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => one[name] === other[name])
}
