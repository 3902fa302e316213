import type { Instruction } from './source.ts'

/** What schools print for an instructor or a time that is not announced. */
export const TO_BE_ANNOUNCED = 'TBA'

/**
 * One entry per person, in order of first appearance, with all their times joined by commas: `{ name: "Ada Lovelace",
 * days_times: "Mo 9:05AM - 10:20AM, We 1:00PM - 2:15PM" }`. Names stay as the school prints them ("Lovelace, Ada" too);
 * blank values are TBA, and TBA is dropped if the same person has known times.
 */
export function instructionList(pairs: readonly { name: string; days_times: string }[]): Instruction[] {
  const [first] = pairs
  // By far the most common case, without going through people.
  if (first !== undefined && pairs.length === 1) {
    return [{ name: first.name || TO_BE_ANNOUNCED, days_times: first.days_times || TO_BE_ANNOUNCED }]
  }
  const timesOf = new Map<string, string[]>()
  for (const { name, days_times } of pairs) {
    const key = name || TO_BE_ANNOUNCED
    const times = timesOf.get(key)
    if (times === undefined) timesOf.set(key, [days_times])
    else if (!times.includes(days_times)) times.push(days_times)
  }
  return Array.from(timesOf, ([name, times]) => {
    const told = times.filter((time) => time !== '' && time !== TO_BE_ANNOUNCED)
    return { name, days_times: told.join(', ') || TO_BE_ANNOUNCED }
  })
}
