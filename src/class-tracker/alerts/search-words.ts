/** Characters of a search at most: what is beyond is cut off, as an input of this length would have done. */
export const longestSearch = 100

/** A search as it is shown again: blanks and control characters made one space, cut to {@link longestSearch}. */
export function cleanSearch(typed: string): string {
  const line = typed.normalize('NFC').replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
  return Array.from(line.trim()).slice(0, longestSearch).join('').trim()
}

/**
 * The words of a search, each once, as texts of which one must occur. SQLite's `lower()` knows A to Z only, so that other
 * letters are offered small, large, and large in front.
 */
export function searchWords(search: string): string[][] {
  const words = new Set(
    search
      .toLowerCase()
      .split(' ')
      .filter((word) => word !== ''),
  )
  return [...words].map((small) => {
    const [first = '', ...rest] = Array.from(small)
    return [...new Set([small, small.toUpperCase(), first.toUpperCase() + rest.join('')].map(lowerAsciiOnly))]
  })
}

function lowerAsciiOnly(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
