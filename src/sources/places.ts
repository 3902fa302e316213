import { tidy } from './text.ts'

/** What schools write instead of a room: to be announced, arranged, hidden from visitors. */
const NO_PLACE = /^(?:tba|tbd|arr|none|n\/a|-+|\*+|\*\* invalid \*\*)$/i
const ONLINE = /\bonline\b/i

/** A room as people read it: "Hudson Hall 210"; '' if neither part has one. */
export function placeOf(building: unknown, room: unknown): string {
  const first = nameIn(tidy(building))
  const second = nameIn(tidy(room))
  if (first === '') return second
  // Online classes have a room of the same name, or one that only fills the column.
  if (second === '' || first === second || first.endsWith(` ${second}`) || ONLINE.test(first)) return first
  return `${first} ${second}`
}

const nameIn = (text: string): string => (text === '' || NO_PLACE.test(text) ? '' : text)

/** Each place once, in order of first appearance: "Hudson Hall 210, Online". */
export function placesOf(places: readonly string[]): string {
  const [only = ''] = places
  if (places.length < 2) return only
  return places.filter((place, at) => place !== '' && places.indexOf(place) === at).join(', ')
}
