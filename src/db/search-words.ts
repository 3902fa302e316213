/**
 * The words of a search, each once, as texts of which one must occur. SQLite's `lower()` knows A to Z only, so other
 * letters are searched in lowercase, uppercase and capitalized.
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
