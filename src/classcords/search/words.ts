import { naturalOrder } from '../../../client/components/natural-order.ts'
import { foldedWord } from '../../db/search-words.ts'
import type { Course } from '../contract.ts'

/** The rest of a longer word is dropped. */
const MAX_WORD_LENGTH = 40
const MAX_SEARCHED_WORDS = 8

type Coded = Pick<Course, 'code' | 'level'>

/** In lower case, without accents. */
const plain = (text: string): string =>
  foldedWord(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()

const wordsIn = (plainText: string): string[] => plainText.match(/[\p{L}\p{N}]+/gu) ?? []

const distinct = (words: readonly string[]): string[] => [
  ...new Set(words.map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join(''))),
]

/** The distinct words of texts: letters and digits in lower case, without accents. */
export const wordsOf = (...texts: string[]): string[] => distinct(texts.map(plain).flatMap(wordsIn))

/**
 * The words that find a server. Codes of courses are typed in several ways, so "CS-101" and "CS 101" are also found as
 * "cs101", "CS101" also as "101", and the course "CS-UY 1114" also as "csuy1114" and "uy1114".
 */
export function indexedWords(texts: readonly string[], courses: readonly Coded[]): string[] {
  const spellings = texts
    .map(plain)
    .flatMap((text) => [
      text,
      text.replace(/(?<=\p{L})(?=\p{N})/gu, ' '),
      text.replace(/(?<=\p{L})[^\p{L}\p{N}]+(?=\p{N})/gu, ''),
    ])
  const codes = courses.flatMap(({ code, level }) => {
    const parts = wordsIn(plain(`${code} ${level}`))
    return parts.map((_unused, at) => parts.slice(at).join(''))
  })
  return distinct([...spellings.flatMap(wordsIn), ...codes])
}

/** For each typed word, the range of words that begin with it (`to` is excluded). A result has a word from each. */
export function wordRanges(query: string): { from: string; to: string }[] {
  return wordsOf(query)
    .slice(0, MAX_SEARCHED_WORDS)
    .map((word) => ({ from: word, to: `${word}\u{10ffff}` }))
}

/** First course, then name; servers without a course come last. Numbers are padded, so that 9 comes before 10. */
export function sortKeyOf(name: string, courses: readonly Coded[]): string {
  const [first] = courses.toSorted(
    (one, other) => naturalOrder(one.code, other.code) || naturalOrder(one.level, other.level),
  )
  const course = first ? `${first.code} ${first.level}` : '~'
  const pad = (text: string) => plain(text).replace(/\d+/g, (digits) => digits.padStart(8, '0'))
  return `${pad(course)}\u0001${pad(name)}`.slice(0, 200)
}
