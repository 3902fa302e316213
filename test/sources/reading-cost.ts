import type { SourceSection } from '../../src/sources/source.ts'
import { type KindFixtures, serve } from './kind-fixtures.ts'
import { collected, openCounted } from './lanes.ts'

/** Of the processor, so that a busy machine does not matter much. What takes time in proportion to a square takes seconds. */
export const MAX_CPU_MS = 400
const TRIES = 3

/** Asks everything that a refresh, a poll and a second look ask. Returns the sections that a refresh would write. */
export async function readAll(fixtures: KindFixtures, file: string, text: string): Promise<readonly SourceSection[]> {
  const { source, address, group, truth, altered } = fixtures
  const open = () => openCounted(source, address, { fetch: serve(fixtures, { [file]: text }) }).lane
  const keys = Object.keys(truth)
  if (!altered.includes(file)) {
    await open().termsAndSchools()
    await open().subjects(group)
    await open().details?.(group, keys[0] ?? '')
    return []
  }
  const listed = await open().sections(group)
  const watched = keys.map((section_key) => ({ section_key, level: '' }))
  await collected(open().seats([{ group, watched }], new Map()))
  return listed.known ? listed.value.sections : []
}

/** Milliseconds of the processor for reading an answer, the least of a few tries if the first was slow. */
export async function costOf(fixtures: KindFixtures, file: string, answer: string): Promise<number> {
  let least = Infinity
  for (let tries = 0; tries < TRIES && least > MAX_CPU_MS; tries++) {
    const before = process.cpuUsage()
    await readAll(fixtures, file, answer)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
