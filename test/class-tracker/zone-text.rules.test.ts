import { expect, test } from 'vitest'
import { zoneText } from '../../src/class-tracker/own-page/quiet-hours.tsx'

test.each([
  ['America/Chicago', 'Central time (Chicago)'],
  ['America/Los_Angeles', 'Pacific time (Los Angeles)'],
  ['America/Indiana/Indianapolis', 'Indianapolis (America)'],
  ['Europe/Berlin', 'Berlin (Europe)'],
  ['UTC', 'UTC'],
])('the zone %s is called %s', (zone, text) => {
  expect(zoneText(zone)).toBe(text)
})
