import { decodeHTMLStrict } from 'entities/decode'

/**
 * Text as people read it: character references decoded, spaces trimmed and collapsed (including no-break ones). Schools
 * escape their labels once, and some twice, so what still looks escaped is decoded again. Only references that end in a
 * semicolon count, so "R&D" stays. Anything but a string or a number is ''.
 */
export function tidy(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value === '') return ''
  if (isPlain(value)) return value
  const trimmed = value.trim()
  return isPlain(trimmed) ? trimmed : decodeTwice(trimmed).replace(/\s+/g, ' ').trim()
}

function decodeTwice(value: string): string {
  if (!value.includes('&')) return value
  const once = decodeHTMLStrict(value)
  return once.includes('&') ? decodeHTMLStrict(once) : once
}

const SPACE = 0x20
const AMPERSAND = 0x26
const LAST_PLAIN = 0x9f

/**
 * Nothing to decode, trim or fold, which is by far the most common case: no control character, reference, other kind of
 * space, or space to trim or collapse. A loop, because for short texts it is faster than a pattern.
 */
function isPlain(text: string): boolean {
  let before = SPACE
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < SPACE || code === AMPERSAND || code > LAST_PLAIN || (code === SPACE && before === SPACE)) return false
    before = code
  }
  return before !== SPACE || text === ''
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
