import { expect, test } from 'vitest'
import { readableKind, readableName, readableTimes } from '../../src/class-tracker/links/pages/readable-text.ts'

test.each([
  ['MoWeFr 4:05PM - 4:55PM', 'Mon Wed Fri 4:05–4:55 PM'],
  ['TuTh 11:15AM - 12:30PM', 'Tue Thu 11:15 AM–12:30 PM'],
  ['Mo 5:15PM - 6:05PM, Sa 11:15AM - 2:05PM', 'Mon 5:15–6:05 PM, Sat 11:15 AM–2:05 PM'],
  ['MWF 10-10:50a', 'MWF 10-10:50a'],
  ['TBA', 'TBA'],
  ['', ''],
])('the times %j are read as %j', (printed, read) => {
  expect(readableTimes(printed)).toBe(read)
})

test.each([
  ['Vesely, Keiko', 'Keiko Vesely'],
  ['de la Cruz, Ana María', 'Ana María de la Cruz'],
  ['Ingrid Lindqvist', 'Ingrid Lindqvist'],
  ['Martin Reyes, Jr.', 'Martin Reyes, Jr.'],
  ['Vesely, Keiko; Reyes, Tomás', 'Vesely, Keiko; Reyes, Tomás'],
  ['TBA', 'TBA'],
])('the name %j is read as %j', (printed, read) => {
  expect(readableName(printed)).toBe(read)
})

test('a code for a kind of class is read as a word, and a word stays', () => {
  expect(['LEC', 'SEM', 'Lecture and Laboratory', ''].map(readableKind)).toEqual([
    'Lecture',
    'Seminar',
    'Lecture and Laboratory',
    '',
  ])
})
