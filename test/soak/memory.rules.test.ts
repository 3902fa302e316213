import { expect, it } from 'vitest'
import { memoryFigure } from './figures.ts'
import type { Sample } from './memory.ts'

/** A life of this many minutes with a sample every three seconds: a start, and then linear growth in MB a minute. */
const lifeOf = (life: number, minutes: number, perMinute: number): Sample[] =>
  Array.from({ length: minutes * 20 }, (_, index) => ({
    life,
    at: life * 600_000 + index * 3000,
    mb: 200 + Math.min(60, index * 2) + (index / 20) * perMinute,
  }))

it('growth after a start is measured over all lives, and compared with its bound', () => {
  const samples = [...lifeOf(1, 6, 0.5), ...lifeOf(2, 6, 0.5)]
  const figure = memoryFigure(samples, 0, 0)
  expect(figure.value).toBeCloseTo(0.5)
  expect(figure.atMost).toBe(1)
})

it('a run that is hardly longer than a start is not compared, and says why', () => {
  const figure = memoryFigure(lifeOf(1, 5, 9), 0, 0)
  expect(figure.value).toBeCloseTo(9)
  expect(figure).not.toHaveProperty('atMost')
  expect(figure.note).toContain('too short to tell growth from a start')
})
