import { isRecord } from './json-page.ts'
import type { SourceSubject } from './source.ts'
import { tidy } from './text.ts'

/** How a list names the code and the name of an entry. */
interface EntryNames {
  code: string
  name: string
}

/** The names of a list's entries by their codes, each once; entries without a code are left out with a warning. */
export function entriesOf(
  listed: readonly unknown[],
  { code, name }: EntryNames,
  warnings: string[],
): Map<string, string> {
  const entries = new Map<string, string>()
  let unnamed = 0
  for (const entry of listed) {
    const key = isRecord(entry) ? tidy(entry[code]) : ''
    if (!isRecord(entry) || key === '') unnamed++
    else if (!entries.has(key)) entries.set(key, tidy(entry[name]) || key)
  }
  if (unnamed > 0) warnings.push(`Entries without a code are left out: ${unnamed} of ${listed.length}.`)
  return entries
}

export function subjectsOf(listed: readonly unknown[], names: EntryNames, warnings: string[]): SourceSubject[] {
  return Array.from(entriesOf(listed, names, warnings), ([key, name]) => ({ key, name }))
}

/** The recorded sections have at most 5 meetings and 5 instructors. */
const MAX_ENTRIES = 100

/** The first entries of a section's list, because every person may be paired with every meeting. */
export function few(list: readonly unknown[]): readonly unknown[] {
  return list.length > MAX_ENTRIES ? list.slice(0, MAX_ENTRIES) : list
}

/** The distinct texts read from the entries of a list, in order of first appearance, separated by commas. */
export function joined(list: unknown, readPart: (entry: Record<string, unknown>) => string): string {
  if (!Array.isArray(list)) return ''
  let first = ''
  let several: string[] | null = null
  for (const entry of few(list)) {
    const part = isRecord(entry) ? readPart(entry) : ''
    if (part === '' || part === first || several?.includes(part)) continue
    if (first === '') first = part
    else (several ??= [first]).push(part)
  }
  return several?.join(', ') ?? first
}
