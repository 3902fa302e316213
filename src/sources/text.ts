import { Parser } from 'htmlparser2'

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi
const decodedEntities = new Map<string, string>()
const MOST_REMEMBERED = 500

/**
 * Text as people read it: character references decoded, blanks trimmed and runs of them (no-break ones too) made one.
 * Schools escape their labels once, and some twice, so what still looks escaped is decoded again. Only references that
 * end in a semicolon count, so "R&D" stays. Anything but a string or a number is ''.
 */
export function tidy(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  if (isPlain(value)) return value
  return decodeTwice(value).replace(/\s+/g, ' ').trim()
}

function decodeTwice(value: string): string {
  if (!value.includes('&')) return value
  const once = decode(value)
  return once.includes('&') ? decode(once) : once
}

/** Nothing to decode, trim or fold: the usual case by far, found at a fraction of a regular expression's cost. */
function isPlain(text: string): boolean {
  let wasBlank = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x20) {
      if (wasBlank) return false
      wasBlank = true
    } else if (code < 0x20 || code === 0x26 || code >= 0xa0) {
      return false
    } else {
      wasBlank = false
    }
  }
  return !wasBlank || text === ''
}

function decode(text: string): string {
  return text.replace(ENTITY, (reference) => {
    const remembered = decodedEntities.get(reference)
    if (remembered !== undefined) return remembered
    const decoded = decodeOne(reference)
    if (decodedEntities.size < MOST_REMEMBERED) decodedEntities.set(reference, decoded)
    return decoded
  })
}

function decodeOne(reference: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.write(reference)
  parser.end()
  return text
}
