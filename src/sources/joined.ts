import { few } from './few.ts'
import { isRecord } from './record.ts'

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
