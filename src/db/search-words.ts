import { foldedWord } from './folded-text.ts'

/**
 * The spellings of a text in the result of SQLite's `lower()`, which handles only A to Z: other letters in lowercase,
 * uppercase, and capitalized at the beginning or in every word. A text of A to Z has one spelling.
 */
export function spellingsOf(text: string): string[] {
  const small = text.toLowerCase()
  const capitalized = (word: string): string => word.replace(/^./u, (letter) => letter.toUpperCase())
  const everyWord = small.split(' ').map(capitalized).join(' ')
  return [...new Set([small, small.toUpperCase(), capitalized(small), everyWord].map(lowerAsciiOnly))]
}

/** The distinct words of a search, each as spellings of which one must occur in the result of `foldedText`. */
export function searchWords(search: string): string[][] {
  const words = new Set(
    foldedWord(search)
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== ''),
  )
  return Array.from(words, spellingsOf)
}

function lowerAsciiOnly(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
