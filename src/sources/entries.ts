import { isRecord } from './record.ts'
import { tidy } from './text.ts'

/** The names of a list's entries by their codes, each once; entries without a code are left out with a warning. */
export function entriesOf(
  listed: readonly unknown[],
  { code, name }: { code: string; name: string },
  warnings: string[],
): Map<string, string> {
  const entries = new Map<string, string>()
  for (const entry of listed) {
    const key = isRecord(entry) ? tidy(entry[code]) : ''
    if (!isRecord(entry) || key === '') warnings.push('An entry of the list has no code; it is left out.')
    else if (!entries.has(key)) entries.set(key, tidy(entry[name]) || key)
  }
  return entries
}
