/** A longer search is cut off here, as by an input with this maxlength. */
const MAX_SEARCH_LENGTH = 100

/** One line of visible text: control characters and lone surrogates are removed, runs of blanks become one. */
export function typedLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
}

/** Text of several lines separated by LF, without control characters other than tabs. */
export function typedLines(text: string): string {
  return withPlainEnds(text.normalize('NFC'))
    .replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')
    .trim()
}

/** What was typed into a text area, trimmed: each line break counts as one character. */
export const typedText = (text: string): string => withPlainEnds(text).trim()

/** A search as it is shown after it was typed: one line of at most 100 code points. */
export function typedSearch(text: string): string {
  return Array.from(typedLine(text)).slice(0, MAX_SEARCH_LENGTH).join('').trim()
}

/** Browsers send every line break as CR LF. */
export const withPlainEnds = (text: string): string => text.replace(/\r\n?/g, '\n')
