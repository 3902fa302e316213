import { randomFrom } from './random.ts'
import { changeSeats, seatsAvailable } from './schools/seats.ts'
import type { World } from './world.ts'

/**
 * Lets students come and go: every `everyMs` one section gains or loses a student. Returns a function that stops it.
 */
export function startTraffic(world: World, everyMs: number): () => void {
  const random = randomFrom(`traffic of ${world.options.seed}`)
  const timer = setInterval(() => {
    const section = random.pick(world.catalog.sections)
    const available = seatsAvailable(section)
    const step = random.weighted([
      [5, -1],
      [4, 1],
      [1, 2],
    ] as const)
    if (section.term.past || available + step < -3) return
    changeSeats(section, { available: Math.min(available + step, section.seats.capacity) })
    for (const member of section.crossList?.members ?? [section]) world.moved.add(member)
    world.changed()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
