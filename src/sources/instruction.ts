import type { Instruction } from './source.ts'

/** What stands for a teacher or a time the school has not announced, as schools print it themselves. */
export const TO_BE_ANNOUNCED = 'TBA'

/**
 * One entry a person, in order of first appearance, with all the times that person teaches joined by a comma:
 * `{ name: "Ada Lovelace", days_times: "Mo 9:05AM - 10:20AM, We 1:00PM - 2:15PM" }`. Names stay as the school prints
 * them ("Lovelace, Ada" too); what is blank is TBA, and TBA is dropped beside known times of the same person.
 */
export function instructionList(pairs: readonly { name: string; days_times: string }[]): Instruction[] {
  const [first] = pairs
  // The usual case by far, without the detour over people.
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
