import { expect } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import type { Answer, Observation, Status } from '../../src/sources/source.ts'

/** The result for a section: its status, that it is missing, or that the whole answer is not believed. */
export type Outcome = Status | 'absent' | 'refused'
export type Row = Record<string, unknown>

/** How a school's answer is altered: one row, everything around the rows, or its text. */
export interface Change<Envelope extends Row = Row> {
  row?: (row: Row) => unknown
  envelope?: (envelope: Envelope, altered: unknown) => unknown
  text?: (text: string) => string
}

/** Alters a row by setting these fields. */
export const set = (fields: Row) => (given: Row) => ({ ...given, ...fields })

/** Alters a row by removing these fields. */
export const without =
  (...names: string[]) =>
  (given: Row) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))

/** Alters an answer's text from `start` on. */
export const from =
  (start: string) =>
  (alter: (text: string) => string) =>
  (text: string): string => {
    const at = text.indexOf(start)
    return text.slice(0, at) + alter(text.slice(at))
  }

/** The answer ends early: after a part of it, before its last bracket. */
export const CUT_SHORT = [
  ...[0, 0.1, 0.5, 0.9, 0.99].map((part) => ({
    what: `after ${part * 100} %`,
    outcome: 'refused' as const,
    text: (text: string) => text.slice(0, Math.floor(text.length * part)),
  })),
  { what: 'before its last bracket', outcome: 'refused' as const, text: (text: string) => text.slice(0, -1) },
]

/**
 * The school's answer as JSON text. @param around puts the altered row between the others and adds everything around
 * them
 */
export function writtenAnswer<Envelope extends Row>(
  honest: Row,
  { row, envelope, text }: Change<Envelope>,
  around: (altered: unknown) => Envelope,
): string {
  const altered = row === undefined ? honest : row(honest)
  const whole = around(altered)
  const written = JSON.stringify(envelope === undefined ? whole : envelope(whole, altered))
  return text === undefined ? written : text(written)
}

/** What an answer says about one section, which it may list only once. */
export function outcomeOf(answer: Answer<readonly Observation[]>, key: string): Outcome {
  if (!answer.known) return 'refused'
  const found = answer.value.filter(({ section_key }) => section_key === key)
  expect(found.length).toBeLessThan(2)
  return found[0] === undefined ? 'absent' : judge(found[0]).status
}
