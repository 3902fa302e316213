import { naturalOrder } from '../../../client/components/natural-order.ts'

/** The rest of a longer word is dropped. */
const MAX_WORD_LENGTH = 40
const MAX_SEARCHED_WORDS = 8

const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

/** The distinct words of texts: letters and digits in lower case, without accents. */
export function wordsOf(...texts: string[]): string[] {
  const words = texts.flatMap((text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [])
  return [...new Set(words.map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join('')))]
}

/** For each typed word, the range of words that begin with it (`to` is excluded). A result has a word from each. */
export function wordRanges(query: string): { from: string; to: string }[] {
  return wordsOf(query)
    .slice(0, MAX_SEARCHED_WORDS)
    .map((word) => ({ from: word, to: `${word}\u{10ffff}` }))
}

/** First course, then name; servers without a course come last. Numbers are padded, so that 9 comes before 10. */
export function sortKeyOf(name: string, courses: readonly { code: string; level: string }[]): string {
  const [first] = courses.toSorted(
    (one, other) => naturalOrder(one.code, other.code) || naturalOrder(one.level, other.level),
  )
  const course = first ? `${first.code} ${first.level}` : '~'
  const pad = (text: string) => plain(text).replace(/\d+/g, (digits) => digits.padStart(8, '0'))
  return `${pad(course)}\u0001${pad(name)}`.slice(0, 200)
}
