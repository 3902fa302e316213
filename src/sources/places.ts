import { tidy } from './text.ts'

/** What schools write where no room is told: to be announced, arranged, hidden from visitors. */
const NO_PLACE = /^(?:tba|tbd|arr|none|n\/a|-+|\*+|\*\* invalid \*\*)$/i

/** A room as people read it: "Hudson Hall 210"; '' where neither part tells one. */
export function placeOf(building: unknown, room: unknown): string {
  const parts = [tidy(building), tidy(room)].filter((part) => part !== '' && !NO_PLACE.test(part))
  const [first = '', second = ''] = parts
  // Online classes have a room of the same name, or one that only fills the column.
  if (/\bonline\b/i.test(first)) return first
  return second === '' || first.endsWith(second) ? first : `${first} ${second}`
}

/** Each place once, in order of first appearance: "Hudson Hall 210, Online". */
export function placesOf(places: readonly string[]): string {
  return [...new Set(places)].filter((place) => place !== '').join(', ')
}
