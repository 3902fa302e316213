/** A longer search is cut off here, as by an input with this maxlength. */
const MAX_SEARCH_LENGTH = 100

/** One line of visible text: each run of whitespace, control characters and lone surrogates becomes one space. */
export function typedLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
}

/**
 * What was typed into a text area, trimmed: lines separated by LF, without control characters other than tabs, and
 * without what could disguise it.
 */
export function typedLines(text: string): string {
  return withoutDisguise(withPlainEnds(text).replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, ''))
    .normalize('NFC')
    .trim()
}

/**
 * Invisible characters that move, hide, reverse or break the text around them: direction marks, zero-width spaces,
 * fillers, soft hyphens and tags. Joiners and emoji variation selectors stay, because scripts and emoji need them.
 */
const INVISIBLE = /(?!\u200C|\u200D|\uFE0E|\uFE0F)(?:\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB])/gu

/**
 * More marks on one letter than any script uses (Burmese has up to five), also with joiners between them; they would
 * overlap the lines around it.
 */
const STACKED = /(\p{M}(?:[\u200C\u200D]*\p{M}){5})(?:[\u200C\u200D]*\p{M})+/gu

/** The text without invisible characters and without piles of marks, so that it is what it looks like. */
export const withoutDisguise = (text: string): string => text.replace(INVISIBLE, '').replace(STACKED, '$1')

/** A search as it is shown after it was typed: one line of at most 100 code points. */
export function typedSearch(text: string): string {
  return Array.from(typedLine(text)).slice(0, MAX_SEARCH_LENGTH).join('').trim()
}

/** Browsers send every line break as CR LF. */
export const withPlainEnds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** The beginning of a text that is too long for its place, ending in '…', with no character cut in half. */
export function truncated(text: string, longest = 120): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** "Pause" of "pause". */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "1 invite" or "1,234 invites"; `many` is for irregular plurals: "1 address", "2 addresses". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? one : many}`

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** JSON of any shape; undefined if it is not JSON or not complete, such as a web page, or if there is no text. */
export function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
