import { foldedWord } from './folded-text.ts'

/**
 * How a text may stand in what SQLite's `lower()` made of it, which knows A to Z only: other letters in lowercase, uppercase,
 * and capitalized at the beginning or in every word. A text of A to Z has one spelling.
 */
export function spellingsOf(text: string): string[] {
  const small = text.toLowerCase()
  const capitalized = (word: string): string => word.replace(/^./u, (letter) => letter.toUpperCase())
  const everyWord = small.split(' ').map(capitalized).join(' ')
  return [...new Set([small, small.toUpperCase(), capitalized(small), everyWord].map(lowerAsciiOnly))]
}

/** The words of a search, each once, as texts of which one must occur in what `foldedText` made of a text. */
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
