/** Characters of a search at most: what is beyond is cut off, as an input of this length would have done. */
const longestSearch = 100

/** One line of visible text: control characters and halves of characters go, runs of blanks become one. */
export function typedLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
}

/** Text of several lines, each ended by LF alone, without any other control character than tabs. */
export function typedLines(text: string): string {
  return withPlainEnds(text.normalize('NFC'))
    .replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')
    .trim()
}

/** What was typed into a text area, trimmed and otherwise as it is: each line's end counts as one character. */
export const typedText = (text: string): string => withPlainEnds(text).trim()

/** A search as it is shown again: one line of at most 100 code points. */
export function typedSearch(text: string): string {
  return Array.from(typedLine(text)).slice(0, longestSearch).join('').trim()
}

/** A browser sends every line's end as CR LF. */
export const withPlainEnds = (text: string): string => text.replace(/\r\n?/g, '\n')
