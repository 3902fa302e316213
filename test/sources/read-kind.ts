import { judge } from '../../src/sources/judge.ts'
import type { Answer, Observation, Status, Tools } from '../../src/sources/source.ts'
import { type KindFixtures, serve } from './kind-fixtures.ts'
import { collected, openCounted } from './lanes.ts'

/** What a refresh and a poll read from the school's answers. */
export interface Reading {
  listed: Answer<readonly Observation[]>
  polled: Answer<readonly Observation[]>
  /** The same by section; absent and refused are both unknown, because neither is written. */
  refresh: Record<string, Status>
  poll: Record<string, Status>
}

/** Reads a school with the answers of `altered`, or what `fetch` makes of them. */
export async function readKind(
  fixtures: KindFixtures,
  altered: Readonly<Record<string, string>>,
  tools: Partial<Tools> = {},
): Promise<Reading> {
  const { source, address, group, truth } = fixtures
  const given = { fetch: serve(fixtures, altered), ...tools }
  const list = await openCounted(source, address, given).lane.sections(group)
  const watched = Object.keys(truth).map((section_key) => ({ section_key, level: '' }))
  const [seats] = await collected(openCounted(source, address, given).lane.seats([{ group, watched }], new Map()))
  if (seats === undefined) throw new Error('The group has no answer.')
  const listed = list.known ? { ...list, value: list.value.sections } : list
  const polled = seats.answer.known ? { ...seats.answer, value: seats.answer.value.seen } : seats.answer
  return { listed, polled, refresh: outcomes(truth, listed), poll: outcomes(truth, polled) }
}

function outcomes(truth: KindFixtures['truth'], answer: Reading['listed']): Record<string, Status> {
  const seen = new Map(answer.known ? answer.value.map((one) => [one.section_key, judge(one).status]) : [])
  return Object.fromEntries(Object.keys(truth).map((key) => [key, seen.get(key) ?? 'unknown']))
}
