import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SeatBar, takenShare } from '../../client/components/seat-bar.tsx'

test('the taken part is a share between nothing and everything', () => {
  expect(takenShare({ seats: 3, capacity: 120 })).toBe(97.5)
  expect(takenShare({ seats: 0, capacity: 120 })).toBe(100)
  expect(takenShare({ seats: -4, capacity: 120 })).toBe(100)
  expect(takenShare({ seats: 130, capacity: 120 })).toBe(0)
  expect(takenShare({ seats: null, capacity: 120 })).toBeNull()
  expect(takenShare({ seats: 1, capacity: null })).toBeNull()
  expect(takenShare({ seats: 0, capacity: 0 })).toBeNull()
})

test('only an open section has the dot, which is never cut off', () => {
  const drawn = (status: 'open' | 'waitlisted' | 'closed' | 'unknown', seats: number | null) =>
    renderToString(<SeatBar status={status} seats={seats} capacity={120} />)
  expect(drawn('open', 3)).toContain('cx="97.5%"')
  expect(drawn('open', 1)).toContain('cx="98.2%"')
  expect(drawn('open', 120)).toContain('cx="2%"')
  expect(drawn('closed', 0)).not.toContain('circle')
  expect(drawn('closed', 3)).not.toContain('seat-dot')
  expect(drawn('waitlisted', 0)).toContain('seat-ring')
  expect(drawn('unknown', 3)).not.toContain('seat-dot')
  expect(drawn('open', null)).not.toContain('seat-dot')
})
