import { naturalOrder } from '../../../client/components/natural-order.ts'

/** Longest word kept: the rest of a longer one distinguishes nothing. */
const MAX_WORD_LENGTH = 40
const MAX_SEARCHED_WORDS = 8

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The words of texts, each once: letters and digits, without accents and case. */
export function wordsOf(...texts: string[]): string[] {
  const words = texts.flatMap((text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [])
  return [...new Set(words.map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join('')))]
}

/** Ranges of words a search is for: each begins as one that was typed. All must be found. `to` is excluded. */
export function wordRanges(query: string): { from: string; to: string }[] {
  return wordsOf(query)
    .slice(0, MAX_SEARCHED_WORDS)
    .map((word) => ({ from: word, to: `${word}\u{10ffff}` }))
}

/**
 * What a listing is sorted by, as text: its first course, then its name; servers without a course come last. Numbers are padded,
 * so that 9 comes before 10.
 */
export function sortKeyOf(name: string, courses: readonly { code: string; level: string }[]): string {
  const [first] = courses.toSorted(
    (one, other) => naturalOrder(one.code, other.code) || naturalOrder(one.level, other.level),
  )
  const course = first ? `${first.code} ${first.level}` : '~'
  const pad = (text: string) => plain(text).replace(/\d+/g, (digits) => digits.padStart(8, '0'))
  return `${pad(course)}\u0001${pad(name)}`.slice(0, 200)
}
