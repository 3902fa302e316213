import { decodeStrictly } from './references.ts'

/**
 * Text as people read it: character references decoded, spaces trimmed and collapsed (including no-break ones). Schools
 * escape their labels once, and some twice, so what still looks escaped is decoded again. Only references that end in a
 * semicolon count, so "R&D" stays. Anything but a string or a number is ''.
 */
export function tidy(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  if (isPlain(value)) return value
  const trimmed = value.trim()
  return isPlain(trimmed) ? trimmed : decodeTwice(trimmed).replace(/\s+/g, ' ').trim()
}

function decodeTwice(value: string): string {
  if (!value.includes('&')) return value
  const once = decodeStrictly(value)
  return once.includes('&') ? decodeStrictly(once) : once
}

/** A control character, a reference, what may be another kind of space, or spaces to trim or collapse. */
const UNTIDY = /[^ -%'-\x9f]|^ | $| {2}/

/** Nothing to decode, trim or fold: by far the most common case. */
function isPlain(text: string): boolean {
  return !UNTIDY.test(text)
}

/** The beginning of a value as JSON, for a sentence; "…" for one that is nested too deeply to be written. */
export function preview(value: unknown, length: number): string {
  try {
    return String(JSON.stringify(value)).slice(0, length)
  } catch {
    return '…'
  }
}

/** A sentence with the message that a school sent in place of an answer. */
export function schoolSays(message: unknown): string {
  return `The school says: ${tidy(message).slice(0, 200) || preview(message, 200)}`
}
