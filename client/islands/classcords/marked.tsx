/** A text in which the beginnings of words that were searched for are marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  const parts = words.match(/[\p{L}\p{N}]+/gu)
  if (parts === null) return text
  // Longest first: of "cal calc" the longer is marked where both begin.
  const wanted = parts.toSorted((one, other) => other.length - one.length).join('|')
  // Every second piece is what the pattern caught.
  const pieces = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${wanted})`, 'giu'))
  return pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))
}
