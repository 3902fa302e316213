import { remembered } from './remembered.ts'

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
