/** A text in which words that begin with a search term are marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  const parts = words.match(/[\p{L}\p{N}]+/gu)
  if (parts === null) return text
  // Longest first: for "cal calc", the longer one is marked if both match.
  const wanted = parts.toSorted((one, other) => other.length - one.length).join('|')
  // Every second piece is a match of the pattern.
  const pieces = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${wanted})`, 'giu'))
  return pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))
}
