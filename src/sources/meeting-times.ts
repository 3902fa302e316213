import { remembered } from './remembered.ts'
import type { Instruction } from './source.ts'

/** Days of the week as people read them, Monday first. */
export const SHORT_DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']

const DAYS_BY_LETTER: Readonly<Record<string, string>> = {
  M: 'Mo',
  T: 'Tu',
  W: 'We',
  R: 'Th',
  F: 'Fr',
  S: 'Sa',
  U: 'Su',
}

/** "MWR" → "MoWeTh"; '' for anything else. */
export const daysOfLetters = remembered((text) => {
  const days = [...text].map((letter) => DAYS_BY_LETTER[letter])
  return days.includes(undefined) ? '' : days.join('')
})

/** 13 and "45" → "1:45PM". */
export function clockText(hour: number, minutes: string): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minutes}${hour < 12 ? 'AM' : 'PM'}`
}

/** Orders texts by their code units, which is much faster than by a language's rules. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

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
  const people: { name: string; times: string[] }[] = []
  for (const { name, days_times } of pairs) {
    const key = name || TO_BE_ANNOUNCED
    let person = people.find((one) => one.name === key)
    if (person === undefined) people.push((person = { name: key, times: [] }))
    const isGiven = days_times !== '' && days_times !== TO_BE_ANNOUNCED
    if (isGiven && !person.times.includes(days_times)) person.times.push(days_times)
  }
  return people.map(({ name, times }) => ({ name, days_times: times.join(', ') || TO_BE_ANNOUNCED }))
}
