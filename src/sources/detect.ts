import { refuseTarget } from './address.ts'
import type { Lane, Source, SourceAddress, TermsAndSchools, UnknownReason } from './source.ts'
import { sources } from './sources.ts'

/** After one of these, the host would refuse the next system too. */
const ENDS_DETECTION: ReadonlySet<UnknownReason> = new Set(['unreachable', 'limited'])

const NOT_AN_ADDRESS = 'This is not an address. If it is the name of a school, search for it by name.'

/** An address in the form of this kind of system. */
interface Candidate {
  source: Source
  url: string
}

/** What was found at an address; `asked`: what was tried before it, and what it answered. */
interface Detection {
  found: (Candidate & TermsAndSchools) | null
  asked: (Candidate & { why: string })[]
  /** Why nothing was found, as a sentence; null if something was. */
  why: string | null
}

/**
 * The addresses at which our supported systems may answer, derived from one that a person copied from a browser: at
 * most one per system that the copied address contains, then each system's usual path on that host. Empty if it is not
 * an address.
 */
export function candidatesOf(typed: string): Candidate[] {
  const url = urlOf(typed)
  if (url === null || hasCredentials(url)) return []
  const path = url.pathname.replace(/\/+$/, '')
  const all = [...sources.values()]
  const copied = all.flatMap((source) =>
    candidateIn(
      source,
      pathsIn(path, source).map((one) => url.origin + one),
    ),
  )
  const usual = all.flatMap((source) => candidateIn(source, [url.origin + new URL(source.address.example).pathname]))
  const isNew = ({ source, url: one }: Candidate) =>
    !copied.some((other) => other.source === source && other.url === one)
  return [...copied, ...usual.filter(isNew)]
}

/** The first of the addresses that can be one of this system, in its canonical form; none if none can. */
function candidateIn(source: Source, addresses: readonly string[]): Candidate[] {
  const url = addresses
    .map((one) => source.canonicalAddress?.(one) ?? one)
    .find((one) => source.checkAddress(one) === null)
  return url === undefined ? [] : [{ source, url }]
}

/** Why no request is made to an address that a person typed, as a sentence; null if one may be. */
export function refuseTyped(typed: string): string | null {
  if (typed.trim() === '') return 'Enter the address of its class search.'
  const url = urlOf(typed)
  if (url === null || /^[^.:/]+$/.test(typed.trim())) return NOT_AN_ADDRESS
  if (hasCredentials(url)) return 'The address must not contain a username or password.'
  const hasNone = candidatesOf(typed).length === 0
  return refuseTarget(url) ?? (hasNone ? 'This is not the address of a system that we can read.' : null)
}

/** Without a scheme it is taken as https. */
function urlOf(typed: string): URL | null {
  const text = typed.trim()
  return URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `https://${text}`)
}

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== ''

/** The beginnings of a path that may be the system's address, the longest first. */
function pathsIn(path: string, { address: { ending } }: Source): string[] {
  const parts = path.split('/').slice(1)
  const beginnings = parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`)
  if (ending !== '') return beginnings.filter((one) => one.endsWith(ending) || one.endsWith('/ssb'))
  // The application's pages are below its path.
  const page = parts.findIndex((part) => /^(?:courses|account|home)$|^bw[a-z]+\./i.test(part))
  return page < 0 ? beginnings.slice(0, 1) : [`/${parts.slice(0, page).join('/')}`]
}

/**
 * Detects the kind of system at an address by requesting the terms from each candidate in turn: the first whose answer
 * is believed. Ends early if the host cannot be reached or asks us to wait.
 * @param open opens a conversation; if it throws, detection ends
 */
export async function detectSource(
  typed: string,
  open: (source: Source, address: SourceAddress) => Lane | Promise<Lane>,
): Promise<Detection> {
  const asked: Detection['asked'] = []
  for (const candidate of candidatesOf(typed)) {
    const lane = await open(candidate.source, { url: candidate.url, settings: {} })
    const answer = await lane.termsAndSchools()
    if (answer.known) return { found: { ...candidate, ...answer.value }, asked, why: null }
    asked.push({ ...candidate, why: answer.why })
    if (ENDS_DETECTION.has(answer.reason)) return { found: null, asked, why: answer.why }
  }
  return { found: null, asked, why: whyNone(asked) }
}

function whyNone(asked: Detection['asked']): string {
  const [first] = asked
  const none = 'No system that we can read answered there.'
  if (!first) return none
  const isSame = asked.every(({ why }) => why === first.why)
  return isSame ? `${none} ${first.why}` : `${none} ${first.source.label}: ${first.why}`
}
