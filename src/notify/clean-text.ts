import { withoutDisguise } from '../lib/text.ts'

/**
 * Text from outside as one clean line: line breaks and runs of space become one space; control characters, direction
 * marks and lone surrogates are removed; at most `longest` code points, ending in '…' if it was longer.
 */
export function oneLine(text: string, longest: number): string {
  const line = withoutDisguise(text.replace(/[\s\u0085]+/gu, ' ').replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC')
  return cut(line, longest, '…')
}

/** The first `longest` code points; if it was cut, the last is replaced by `mark`. */
export function cut(text: string, longest: number, mark: string): string {
  if (text.length <= longest) return text
  const points = Array.from(text)
  if (points.length <= longest) return text
  const kept = points.slice(0, Math.max(0, longest - mark.length)).join('')
  return `${kept.trimEnd()}${mark}`
}

/** Safe inside an element and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
