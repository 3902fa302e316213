const HUES = 8

/** The class of one of eight hues, always the same for the same name: FNV-1a over its UTF-16 units. */
export function hueOf(name: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return `hue-${((hash >>> 0) % HUES) + 1}`
}

export function initialOf(name: string): string {
  return (name.match(/[\p{L}\p{N}]/u)?.[0] ?? '#').toUpperCase()
}

/** The first letters of the first two words: "Bio Study Hall" becomes BS. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ['#']
  return words
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
}
