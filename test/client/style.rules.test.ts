import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hueOf, initialsOf } from '../../client/components/hue.ts'
import { colorIn, contrast, styleFile, type Theme } from './colors.ts'

const tokens = styleFile('tokens.css')
const hues = styleFile('status.css')
const themes: readonly Theme[] = ['light', 'dark']
const names = readdirSync(new URL('../../client/styles', import.meta.url)).filter((name) => name.endsWith('.css'))

/** WCAG 2.2: 1.4.3 for text, 1.4.11 for controls and essential graphics. */
const TEXT = 4.5
const SHAPE = 3

const texts: readonly [ink: string, grounds: readonly string[]][] = [
  ['--ink', ['--paper', '--surface', '--surface-sunken', '--accent-soft', '--open-soft', '--waitlist-soft']],
  ['--ink-muted', ['--paper', '--surface', '--surface-sunken', '--closed-soft']],
  ['--accent', ['--paper', '--surface', '--surface-sunken', '--accent-soft']],
  ['--accent-strong', ['--paper', '--surface', '--surface-sunken', '--accent-soft']],
  ['--accent-ink', ['--accent', '--accent-strong']],
  ['--open-ink', ['--paper', '--surface', '--surface-sunken', '--open-soft']],
  ['--waitlist-ink', ['--paper', '--surface', '--surface-sunken', '--waitlist-soft']],
  ['--danger', ['--paper', '--surface', '--surface-sunken', '--danger-soft']],
  ['--discord-ink', ['--discord']],
]
const shapes: readonly [shape: string, grounds: readonly string[]][] = [
  ['--line-field', ['--paper', '--surface']],
  ['--open', ['--surface']],
  ['--accent', ['--paper', '--surface']],
]

describe.each(themes)('the colors in the %s theme', (theme) => {
  const ratio = (one: string, other: string): number =>
    contrast(colorIn(tokens, one, theme), colorIn(tokens, other, theme))

  test.each(texts)('%s is readable on every background it is used on', (ink, grounds) => {
    for (const ground of grounds) expect(ratio(ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(TEXT)
  })

  test.each(shapes)('%s is visible', (shape, grounds) => {
    for (const ground of grounds) expect(ratio(shape, ground), `${shape} on ${ground}`).toBeGreaterThanOrEqual(SHAPE)
  })

  test('every hue is readable: course codes on a card, initials on a tile', () => {
    const degrees = [...hues.matchAll(/--h: (\d+);/g)].map(([, value]) => Number(value))
    expect(degrees).toHaveLength(8)
    for (const hue of degrees) {
      for (const ground of ['--paper', '--surface'])
        expect(
          contrast(colorIn(hues, '--hue-ink', theme, hue), colorIn(tokens, ground, theme)),
          `${hue} on ${ground}`,
        ).toBeGreaterThanOrEqual(TEXT)
      expect(
        contrast(colorIn(hues, '--tile', theme, hue), colorIn(tokens, '--tile-ink', theme)),
        `tile ${hue}`,
      ).toBeGreaterThanOrEqual(TEXT)
    }
  })
})

test('every custom property in use is defined', () => {
  const whole = names.map(styleFile).join('\n')
  const known = new Set([...whole.matchAll(/(--[\w-]+):/g)].map(([, name]) => name))
  const unknown = [...whole.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name).filter((name) => !known.has(name))
  expect([...new Set(unknown)]).toEqual([])
})

test('a name has the same hue everywhere, and names spread over all eight', () => {
  expect(hueOf('Bio Study Hall')).toBe(hueOf('Bio Study Hall'))
  const seen = new Set(Array.from({ length: 200 }, (_, index) => hueOf(`Server ${index}`)))
  expect([...seen].toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `hue-${index + 1}`))
})

test('initials are the first letters of two words, in any script', () => {
  expect(initialsOf('Bio Study Hall')).toBe('BS')
  expect(initialsOf('🔥 calculus')).toBe('C')
  expect(initialsOf('東京 大学')).toBe('東大')
  expect(initialsOf('🔥')).toBe('#')
})
