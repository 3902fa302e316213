import { refuseTarget } from './address.ts'
import type { Lane, Source, SourceAddress, TermsAndSchools } from './source.ts'
import { sources } from './sources.ts'

/** The most addresses that are tried, because this is not a search for a school. */
const MAX_ASKED = 8

/** An address in the form of this kind of system. */
export interface Candidate {
  source: Source
  url: string
}

/** What was found at an address; `asked`: what was tried before it, and what it answered. */
interface Detection {
  found: (Candidate & TermsAndSchools) | null
  asked: (Candidate & { why: string })[]
}

/**
 * The addresses at which our supported systems may answer, derived from one that a person copied from a browser:
 * unchanged, cut off where a system's own address ends, and last with each system's usual ending after the host. Empty
 * if it is not an address.
 */
export function candidatesOf(typed: string): Candidate[] {
  const url = urlOf(typed)
  if (url === null || hasCredentials(url)) return []
  const path = url.pathname.replace(/\/+$/, '')
  const all = [...sources.values()]
  const own = all.find(({ address: { host } }) => host !== undefined && url.hostname.endsWith(host))
  if (own) return own.checkAddress(url.origin) === null ? [{ source: own, url: url.origin }] : []
  const told = all.flatMap((source) => pathsIn(path, source).map((one) => ({ source, url: url.origin + one })))
  const usual = all.map((source) => ({ source, url: url.origin + new URL(source.address.example).pathname }))
  const seen = new Set<string>()
  const inOneForm = [...told, ...usual].map(({ source, url: one }) => ({
    source,
    url: source.oneAddress?.(one) ?? one,
  }))
  return inOneForm.filter(({ source, url: one }) => {
    const key = `${source.kind} ${one}`
    if (seen.has(key) || source.checkAddress(one) !== null) return false
    seen.add(key)
    return true
  })
}

/** Why no request is made to an address that a person typed, as a sentence; null if one may be. */
export function refuseTyped(typed: string): string | null {
  if (typed.trim() === '') return 'Enter the address of its class search.'
  const url = urlOf(typed)
  if (url === null) return 'This is not an address.'
  if (hasCredentials(url)) return 'The address must not contain a username or password.'
  const isNone = candidatesOf(typed).length === 0
  return refuseTarget(url) ?? (isNone ? 'This is not the address of a system we read.' : null)
}

/** Without a scheme it is taken as https. */
function urlOf(typed: string): URL | null {
  const text = typed.trim()
  return URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `https://${text}`)
}

const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== ''

/** Prefixes of a path that end like the system's address, the longest first. */
function pathsIn(path: string, { address: { ending } }: Source): string[] {
  const parts = path.split('/').slice(1)
  const beginnings = parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`)
  if (ending !== '') return beginnings.filter((one) => one.endsWith(ending) || one.endsWith('/ssb'))
  // The application's pages are below its path.
  const page = parts.findIndex((part) => /^(?:courses|account|home)$|^bw[a-z]+\./i.test(part))
  return page < 0 ? beginnings.slice(0, 1) : [`/${parts.slice(0, page).join('/')}`]
}

/**
 * Detects the kind of system at an address by requesting the terms of each possible kind in turn: the first whose
 * answer is believed.
 * @param open opens a conversation; if it throws, the search ends
 */
export async function detectSource(
  typed: string,
  open: (source: Source, address: SourceAddress) => Lane | Promise<Lane>,
): Promise<Detection> {
  const asked: Detection['asked'] = []
  for (const candidate of candidatesOf(typed).slice(0, MAX_ASKED)) {
    const lane = await open(candidate.source, { url: candidate.url, settings: {} })
    const answer = await lane.termsAndSchools()
    if (answer.known) return { found: { ...candidate, ...answer.value }, asked }
    asked.push({ ...candidate, why: answer.why })
  }
  return { found: null, asked }
}
