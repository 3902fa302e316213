import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairOrder } from '../../src/notify/pacer/fair-order.ts'
import {
  AHEAD_MS,
  NEAR_MS,
  LATE_MS,
  USED_SLOT_MS,
  MAX_PAUSE_MS,
  PacerLine,
  ABANDONED_AFTER_MS,
  LEAVE_MARGIN,
  SLOT_MARGIN,
  START_MARGIN_MS,
  type Turn,
} from '../../src/notify/pacer/line.ts'

const begin = 1_800_000_000_000

interface Sender {
  ticket: string
  flow: string
  kind: 'alert' | 'account'
  units: number
  /** When it first asks, ms after the beginning. */
  from: number
  /** How late it is whenever it comes back, in ms. */
  lateness: number
  /** How long it takes to write its message once its slot is near, in ms. */
  prepares?: number | undefined
  /** Finds at its slot that it has nothing to send. */
  isIdle?: boolean
}

interface Sent {
  sender: Sender
  at: number
}

interface Played {
  sent: Sent[]
  asked: number
  pauses: { from: number; until: number }[]
  isOver: boolean
}

interface Pause {
  at: number
  seconds: number | null
}

/**
 * Plays senders before one line as jobs do it: ask, come back at the given time, ask once more when the slot is due, send.
 */
function play(pace: number, senders: readonly Sender[], pauses: readonly Pause[] = [], random = () => 0.5): Played {
  const line = new PacerLine()
  const events: { at: number; run: () => void }[] = []
  const played: Played = { sent: [], asked: 0, pauses: [], isOver: true }
  let now = begin
  const later = (at: number, run: () => void): void => {
    events.push({ at: Math.max(at, now), run })
  }
  const ask = (sender: Sender, isPrepared = sender.prepares === undefined): void => {
    played.asked += 1
    const turn: Turn = line.turn({ ...sender, is_preparing: !isPrepared }, pace, now, random())
    if ('come_back_at' in turn) return later(turn.come_back_at + sender.lateness, () => ask(sender))
    if (!isPrepared && turn.go_at <= now + NEAR_MS) return later(now + (sender.prepares ?? 0), () => ask(sender, true))
    if (turn.go_at > now) {
      if (sender.isIdle) return line.giveBack(sender.ticket, now)
      return later(turn.go_at, () => ask(sender, isPrepared))
    }
    if (!sender.isIdle) played.sent.push({ sender, at: now })
  }
  for (const sender of senders) later(begin + sender.from, () => ask(sender))
  for (const { at, seconds } of pauses)
    later(begin + at, () => played.pauses.push({ from: now, until: line.pause(seconds, now, random()) }))
  for (let steps = 0; events.length > 0; steps += 1) {
    if (steps > 200_000) return { ...played, isOver: false }
    const index = events.reduce((best, event, place) => (event.at < (events[best]?.at ?? Infinity) ? place : best), 0)
    const [event] = events.splice(index, 1)
    if (!event) break
    now = event.at
    event.run()
  }
  return played
}

/**
 * Each keeps a distance from the previous one, however late it is: at the exact pace any jitter would exceed the rate.
 */
function expectPace(sent: readonly Sent[], pace: number): void {
  const slotMs = (1000 / pace) * LEAVE_MARGIN
  const ordered = sent.toSorted((one, other) => one.at - other.at)
  for (const [index, { at, sender }] of ordered.entries()) {
    const next = ordered[index + 1]
    // A thousandth of a millisecond allows for rounding.
    if (next) expect(next.at - at).toBeGreaterThanOrEqual(sender.units * slotMs - 0.001)
  }
}

const people = (count: number, parts: Partial<Sender> = {}): Sender[] =>
  Array.from({ length: count }, (_, index) => ({
    ticket: `${parts.flow ?? 'A'}${parts.kind ?? 'alert'}${index}`,
    flow: 'A',
    kind: 'alert',
    units: 1,
    from: 0,
    lateness: 20,
    ...parts,
  }))

const sender = fc.record({
  flow: fc.constantFrom('A', 'B', 'C'),
  kind: fc.constantFrom('alert' as const, 'alert' as const, 'account' as const),
  units: fc.integer({ min: 1, max: 3 }),
  from: fc.integer({ min: 0, max: 20_000 }),
  lateness: fc.integer({ min: 0, max: 900 }),
  prepares: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
  isIdle: fc.boolean(),
})
const senders = fc
  .array(sender, { minLength: 1, maxLength: 60 })
  .map((list) => list.map((one, index): Sender => ({ ...one, ticket: `${index}` })))
const pause = fc.record({
  at: fc.integer({ min: 0, max: 30_000 }),
  seconds: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
})
const fractions = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))
const pace = fc.integer({ min: 1, max: 50 })

describe('any number of senders', () => {
  test('are never faster than the pace, all get a turn once, and none during a pause', () => {
    fc.assert(
      fc.property(pace, senders, fc.array(pause, { maxLength: 4 }), fractions, (rate, crowd, silences, random) => {
        const played = play(rate, crowd, silences, () => random.next().value ?? 0.5)
        expect(played.isOver).toBe(true)
        expectPace(played.sent, rate)
        const tickets = played.sent.map(({ sender: { ticket } }) => ticket)
        expect(new Set(tickets).size).toBe(tickets.length)
        const wanted = crowd.filter(({ isIdle, ticket }) => !isIdle || tickets.includes(ticket))
        expect(tickets.toSorted()).toEqual(wanted.map(({ ticket }) => ticket).toSorted())
        for (const { from, until } of played.pauses)
          for (const { at } of played.sent) expect(at <= from || at >= until).toBe(true)
      }),
    )
  })

  test('without a pace send at once, and still wait for a pause', () => {
    const calm = play(0, people(100))
    expect(calm.sent.every(({ at }) => at === begin)).toBe(true)
    const paused = play(0, people(100, { from: 10 }), [{ at: 5, seconds: 3 }])
    expect(paused.sent).toHaveLength(100)
    for (const { at } of paused.sent) expect(at).toBeGreaterThanOrEqual(begin + 3005)
  })
})

describe('many senders', () => {
  test('waste little: the last of 500 sends within 1.2 times the minimum', () => {
    for (const rate of [1, 2, 10, 50]) {
      const { sent } = play(rate, people(500))
      expect(sent).toHaveLength(500)
      const last = Math.max(...sent.map(({ at }) => at)) - begin
      expect(last).toBeLessThan((1.2 * 500_000) / rate)
    }
  })

  test('waste little although each comes up to two seconds late', () => {
    const late = people(1000).map((one, index) => ({ ...one, lateness: (index * 37) % 2000 }))
    const { sent } = play(20, late)
    expect(sent).toHaveLength(1000)
    expect(Math.max(...sent.map(({ at }) => at)) - begin).toBeLessThan(60_000)
  })

  test('ask rarely: at most a dozen times each, on average', () => {
    expect(play(2, people(1000)).asked / 1000).toBeLessThan(12)
  })

  test('that begin to send keep the rate although the first arrives late, and the last is not later for it', () => {
    const arrivals = play(2, people(20))
      .sent.map(({ at }, index) => at - begin + (index === 0 ? START_MARGIN_MS : 0))
      .toSorted((one, other) => one - other)
    for (const [index, at] of arrivals.entries())
      expect((arrivals[index + 2] ?? Infinity) - at).toBeGreaterThanOrEqual(1000)
    expect(arrivals.at(-1)).toBeLessThan(19 * 500 * SLOT_MARGIN + 100)
  })

  test('do not delay an alert for another section', () => {
    const { sent } = play(2, [...people(500), ...people(3, { flow: 'B', from: 5000 })])
    const others = sent.filter(({ sender: one }) => one.flow === 'B').map(({ at }) => at - begin - 5000)
    expect(Math.max(...others)).toBeLessThan(8000)
  })

  test('share the pace evenly with another', () => {
    const { sent } = play(2, [...people(100), ...people(100, { flow: 'B' })])
    const early = sent.toSorted((one, other) => one.at - other.at).slice(0, 100)
    const ofB = early.filter(({ sender: one }) => one.flow === 'B').length
    expect(ofB).toBeGreaterThan(40)
    expect(ofB).toBeLessThan(60)
  })

  test('leave account email one turn in five while it waits, and no more', () => {
    const { sent } = play(2, [...people(400), ...people(100, { kind: 'account', flow: 'account' })])
    const early = sent.toSorted((one, other) => one.at - other.at).slice(0, 200)
    const mails = early.filter(({ sender: one }) => one.kind === 'account').length
    expect(mails).toBeGreaterThanOrEqual(36)
    expect(mails).toBeLessThanOrEqual(46)
    const [first] = sent.filter(({ sender: one }) => one.kind === 'account')
    expect((first?.at ?? Infinity) - begin).toBeLessThan(5000)
  })

  test('precede account email that asked before', () => {
    const { sent } = play(2, [...people(100, { kind: 'account', flow: 'account' }), ...people(100, { from: 5000 })])
    const alerts = sent.filter(({ sender: one }) => one.kind === 'alert').map(({ at }) => at - begin - 5000)
    expect(Math.max(...alerts)).toBeLessThan((1.2 * 125_000) / 2 + AHEAD_MS)
    expect(Math.min(...alerts)).toBeLessThan(AHEAD_MS + 1500)
  })

  test('that no longer have anything to send leave their slots to the others', () => {
    const { sent } = play(1, [...people(300, { isIdle: true }), ...people(30, { flow: 'B', from: 100 })])
    const last = Math.max(...sent.map(({ at }) => at)) - begin
    expect(last).toBeLessThan(1.5 * 30_000)
  })
})

describe('a slot', () => {
  const [one, other] = people(2) as [Sender, Sender]
  const second = begin + 1000 * LEAVE_MARGIN + START_MARGIN_MS

  test('belongs to one ticket, and is the same however often it asks', () => {
    const line = new PacerLine()
    const first = line.turn(one, 1, begin, 0)
    expect(first).toEqual({ go_at: begin })
    expect(line.turn(one, 1, begin + 1, 0)).toEqual(first)
    expect(line.turn(other, 1, begin + 2, 0)).toEqual({ go_at: second })
  })

  test('of more units is longer in proportion', () => {
    const line = new PacerLine()
    line.turn({ ...one, units: 2 }, 1, begin, 0)
    expect(line.turn(other, 1, begin, 0)).toEqual({ go_at: begin + 2000 * LEAVE_MARGIN + START_MARGIN_MS })
  })

  test('that was returned goes to one other ticket', () => {
    const line = new PacerLine()
    const [third] = people(1, { flow: 'C' }) as [Sender]
    const [fourth] = people(1, { flow: 'D' }) as [Sender]
    line.turn(one, 1, begin, 0)
    const given = line.turn(other, 1, begin, 0)
    line.giveBack(other.ticket, begin + 1)
    expect(line.turn(third, 1, begin + 2, 0)).toEqual(given)
    expect(line.turn(fourth, 1, begin + 3, 0)).toEqual({ go_at: begin + 2 * 1000 * SLOT_MARGIN })
  })

  test('that is over is requested again', () => {
    const line = new PacerLine()
    line.turn(one, 1, begin, 0)
    expect(line.turn(one, 1, begin + LATE_MS + 1000, 0)).toEqual({ go_at: begin + LATE_MS + 1000 })
  })

  test('is not lost if its owner comes late', () => {
    const line = new PacerLine()
    line.turn(one, 1, begin, 0)
    expect(line.turn(other, 1, begin, 0)).toEqual({ go_at: second })
    for (const next of people(3)) line.turn(next, 1, begin + 1000, 0)
    expect(line.turn(other, 1, begin + 8000, 0)).toEqual({ go_at: begin + 8000 })
  })

  test('that was used is not valid for another attempt', () => {
    const line = new PacerLine()
    line.turn(one, 1, begin, 0)
    expect(line.turn(other, 1, second - NEAR_MS, 0)).toEqual({ go_at: second })
    const again = second + USED_SLOT_MS + 1
    expect(line.turn(one, 1, again, 0)).toEqual({ go_at: second + 1000 * LEAVE_MARGIN })
    const later = line.turn(other, 1, again, 0)
    expect('go_at' in later && later.go_at).toBeGreaterThanOrEqual(begin + 3 * 1000 * SLOT_MARGIN)
  })

  test('that fell into a pause no longer belongs to the ticket', () => {
    const line = new PacerLine()
    line.turn(one, 1, begin, 0)
    line.turn(other, 1, begin, 0)
    const until = line.pause(20, begin + 100, 0)
    expect(until).toBe(begin + 20_100)
    expect(line.turn(other, 1, begin + 1050, 0)).toHaveProperty('come_back_at')
  })

  test('is kept over a restart as the next free time', () => {
    const line = new PacerLine()
    line.turn(one, 1, begin, 0)
    expect(new PacerLine(line.kept).turn(other, 1, begin, 0)).toEqual({ go_at: begin + 1000 * SLOT_MARGIN })
  })
})

test('a sender that disappears delays the others only briefly', () => {
  const line = new PacerLine()
  for (const gone of people(200)) line.turn(gone, 1, begin, 0)
  const [late] = people(1, { flow: 'A', ticket: 'late' })
  if (!late) throw new Error('nobody')
  const turn = line.turn(late, 1, begin, 0)
  const comesBack = 'come_back_at' in turn ? turn.come_back_at : NaN
  expect(line.turn(late, 1, comesBack + ABANDONED_AFTER_MS, 0)).toHaveProperty('go_at')
})

describe('a pause', () => {
  test('lasts as long as the provider asked, at most an hour', () => {
    expect(new PacerLine().pause(7, begin, 0.5)).toBe(begin + 7000)
    expect(new PacerLine().pause(99_999_999_999, begin, 0.5)).toBe(begin + MAX_PAUSE_MS)
  })

  test.each([null, 0])('of unknown length (%s) is a few seconds and grows while it does not help', (seconds) => {
    const line = new PacerLine()
    const lengths: number[] = []
    let now = begin
    for (let pauses = 0; pauses < 10; pauses += 1) {
      const until = line.pause(seconds, now, 0.5)
      lengths.push(until - now)
      now = until + 10
    }
    expect(lengths[0]).toBe(2000)
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    expect(lengths.at(-1)).toBe(60_000)
    expect(line.pause(null, now + 600_000, 0.5) - now - 600_000).toBe(2000)
  })

  test('does not grow because several messages were under way when it began, or because the provider named another', () => {
    const line = new PacerLine()
    for (let message = 0; message < 10; message += 1) line.pause(null, begin + message * 5, 0.5)
    expect(line.pause(null, begin + 50, 0.5)).toBe(begin + 2050)
    line.pause(1, begin + 3000, 0.5)
    expect(line.pause(null, begin + 4000, 0.5)).toBe(begin + 8000)
  })

  test('is never shortened by another', () => {
    const line = new PacerLine()
    const until = line.pause(60, begin, 0.5)
    expect(line.pause(1, begin + 10, 0.5)).toBe(until)
  })
})

const alertIn = (flow: string, ticket: string) => ({ ticket, flow, kind: 'alert', units: 1 }) as const

test('who was next before a pause is next after it', () => {
  const line = new PacerLine()
  const due = new Map(Array.from({ length: 300 }, (_, index) => [`t${index}`, begin]))
  const sent = new Map<string, number>()
  let isPaused = false
  while (due.size > 0) {
    const [ticket, at] = [...due].reduce((one, other) => (other[1] < one[1] ? other : one))
    if (!isPaused && at >= begin + 20) {
      line.pause(5, at, 0.5)
      isPaused = true
    }
    const turn = line.turn(alertIn('A', ticket), 1, at, 0.5)
    if ('come_back_at' in turn) due.set(ticket, turn.come_back_at)
    else if (turn.go_at > at) due.set(ticket, turn.go_at)
    else {
      due.delete(ticket)
      sent.set(ticket, at - begin)
    }
  }
  for (const ticket of ['t1', 't2', 't3', 't4']) expect(sent.get(ticket), ticket).toBeLessThan(60_000)
})

test('a large group keeps a share while messages about other sections keep coming', () => {
  const order = new FairOrder()
  const waiting = Array.from({ length: 50 }, (_, index) => alertIn('large', `large${index}`))
  for (const one of waiting) order.join(one)
  const tickets: { ticket: string; flow: string; kind: 'alert'; units: number }[] = [...waiting]
  let served = 0
  for (let slot = -2; slot < 300; slot += 1) {
    const other = alertIn(`flow${slot}`, `other${slot}`)
    order.join(other)
    tickets.push(other)
    if (slot < 0) continue
    const [next] = tickets.toSorted((one, another) => order.unitsAhead(one) - order.unitsAhead(another))
    if (!next) throw new Error('Nobody waits.')
    order.served(next)
    tickets.splice(tickets.indexOf(next), 1)
    if (next.flow === 'large') served += 1
  }
  expect(served).toBeGreaterThan(15)
})
