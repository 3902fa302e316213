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
