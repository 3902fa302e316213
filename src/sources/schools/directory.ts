import * as z from 'zod/mini'
import { hasSchools } from '../source.ts'
import { sources } from '../sources.ts'

/** What is known about a school's system, from `schools.json`. An entry is a lead to check, not a promise. */
export const ListedSchool = z.strictObject({
  /** Its name in lower case with hyphens; never given to another school. */
  id: z.string(),
  name: z.string(),
  /** ISO 3166 code */
  country: z.string(),
  /** The postal abbreviation. */
  state: z.string(),
  /** IANA name */
  time_zone: z.string(),
  /** The protocol of its system; `own` for a system that no other school has. */
  kind: z.string(),
  /** Without a trailing slash. */
  url: z.string(),
  /** Its code if one address serves several schools; '' if the address is a single school. */
  school: z.string(),
  settings: z.record(z.string(), z.string()),
  /** A description of the school's own system. */
  system: z.optional(z.string()),
  /** The code of a term that it offered in 2026. */
  last_term: z.optional(z.string()),
  /** Notes for the operator. */
  notes: z.optional(z.array(z.string())),
  /** The day on which this was true, as 2026-08-03. */
  as_of: z.string(),
})
export type ListedSchool = z.infer<typeof ListedSchool>

/** Reads the text of `schools.json`. @throws if it has another format */
export function parseDirectory(json: string): ListedSchool[] {
  return z.array(ListedSchool).parse(JSON.parse(json))
}

/** Systems that no adapter reads yet: their names, and why, as a sentence. */
const UNREAD_SYSTEMS: Readonly<Record<string, { name: string; why: string }>> = {
  own: { name: 'Custom system', why: "It has a system of its own, which we can't read yet." },
  psfluid: { name: 'PeopleSoft Fluid', why: "We can't read PeopleSoft Fluid yet." },
  collegescheduler: {
    name: 'College Scheduler',
    why: "We can't read College Scheduler yet: it does not say which seats are reserved.",
  },
}

export function systemName({ kind, system }: Pick<ListedSchool, 'kind'> & { system?: string | undefined }): string {
  const name = sources.get(kind)?.label ?? UNREAD_SYSTEMS[kind]?.name ?? kind
  return system === undefined ? name : `${name} (${system})`
}

/** Why the school cannot be read yet, as a sentence; null when it can. */
export function whyNotRead({ kind, url, school, settings }: ListedSchool): string | null {
  const source = sources.get(kind)
  if (!source) return UNREAD_SYSTEMS[kind]?.why ?? `We can't read ${kind} yet.`
  const unknown = Object.keys(settings).filter((name) => !source.settings.some((setting) => setting.name === name))
  if (unknown.length > 0) return "It shares its system with other schools, and we can't tell theirs apart yet."
  if (hasSchools(source) !== (school !== '')) return 'Its code in the shared system is unknown.'
  return source.checkAddress(url)
}

/** Words that abbreviations of names leave out. */
const SMALL_WORDS = new Set(['of', 'the', 'at', 'and', 'in', 'for', 'a'])

/**
 * The schools whose names contain every word, each at the beginning of one of its words or as its initials ("UNC"); a
 * state's two letters count as a word. Names that begin with what was typed come first, then by name. Every
 * school if nothing was typed; none if it has no letters or digits.
 */
export function searchDirectory(directory: readonly ListedSchool[], typed: string): ListedSchool[] {
  const wanted = wordsOf(typed)
  if (wanted.length === 0 && typed.trim() !== '') return []
  const begin = wanted.join(' ')
  return directory
    .map((school) => ({ school, words: wordsOf(school.name) }))
    .filter(({ school, words }) => wanted.every((word) => isIn(word, words, school)))
    .map(({ school, words }) => ({ school, isFirst: words.join(' ').startsWith(begin) }))
    .toSorted((a, b) => Number(b.isFirst) - Number(a.isFirst) || a.school.name.localeCompare(b.school.name, 'en'))
    .map(({ school }) => school)
}

function isIn(wanted: string, words: readonly string[], { id, state }: ListedSchool): boolean {
  return (
    words.some((word) => word.startsWith(wanted)) ||
    wanted === state.toLowerCase() ||
    wanted === id ||
    (wanted.length > 1 && initialsOf(words).startsWith(wanted))
  )
}

const initialsOf = (words: readonly string[]): string =>
  words
    .filter((word) => !SMALL_WORDS.has(word))
    .map((word) => word.charAt(0))
    .join('')

/** In lower case, without accents and punctuation: "St. John's" is "st johns". */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/[\p{M}'’.]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
