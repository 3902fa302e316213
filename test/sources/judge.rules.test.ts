import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freeSeats, judge, NO_FIGURES, whyUnknown } from '../../src/sources/judge.ts'
import type { Figures, Observation, Status } from '../../src/sources/source.ts'

function observation(given: Partial<Figures>, more: Partial<Observation> = {}): Observation {
  return { section_key: '1', stated: null, figures: { ...NO_FIGURES, ...given }, doubts: [], ...more }
}

const statusOf = (given: Partial<Figures>, more: Partial<Observation> = {}): Status =>
  judge(observation(given, more)).status

const room = { capacity: 30, enrolled: 25, available: 5 }
const full = { capacity: 30, enrolled: 30, available: 0 }
const noList = { waitlist_capacity: 0, waitlist_total: 0, waitlist_available: 0 }
const emptyList = { waitlist_capacity: 10, waitlist_total: 0, waitlist_available: 10 }
const longList = { waitlist_capacity: 10, waitlist_total: 10, waitlist_available: 0 }
const shared = { shared_capacity: 50, shared_total: 47, shared_available: 3 }
const sharedFull = { shared_capacity: 50, shared_total: 50, shared_available: 0 }

describe('without a status from the school, a section', () => {
  it.each<[Status, string, Partial<Figures>]>([
    ['open', 'with seats and an empty list', { ...room, ...emptyList }],
    ['open', 'with seats and no list', { ...room, ...noList }],
    ['open', 'with seats, of a school that gives nothing of lists', room],
    ['open', 'with its last seat', { capacity: 30, enrolled: 29, available: 1, ...noList }],
    ['open', 'with seats in its own and in the shared room', { ...room, ...noList, ...shared }],
    ['open', 'with seats that are not reserved', { ...room, ...noList, unreserved_available: 1 }],
    ['open', 'with seats of which only the number is given', { available: 5 }],
    ['open', 'with seats known from capacity and enrollment', { capacity: 30, enrolled: 25 }],
    ['open', 'with seats, no one waiting, and a list of unknown length', { ...room, waitlist_total: 0 }],
    ['waitlisted', 'with seats that people wait for', { ...room, ...longList }],
    ['waitlisted', 'with more seats than people waiting', { ...room, waitlist_total: 1 }],
    [
      'waitlisted',
      'with people waiting by the list’s other figures',
      { ...room, waitlist_capacity: 20, waitlist_available: 3 },
    ],
    ['waitlisted', 'that is full, with room on the list', { ...full, ...emptyList }],
    ['waitlisted', 'that is full, with a full list', { ...full, ...longList }],
    ['waitlisted', 'that is full, with people on a list of unknown length', { ...full, waitlist_total: 4 }],
    ['waitlisted', 'that is full, with room on a list of unknown length', { ...full, waitlist_available: 4 }],
    [
      'waitlisted',
      'with more people on the list than it has places',
      { ...full, waitlist_capacity: 5, waitlist_total: 7 },
    ],
    ['waitlisted', 'in a full shared room, with room on the list', { ...room, ...emptyList, ...sharedFull }],
    ['closed', 'that is full, without a list', { ...full, ...noList }],
    ['closed', 'that is full, of a school that gives nothing of lists', full],
    ['closed', 'with more people than seats', { capacity: 30, enrolled: 33, available: -3, ...noList }],
    [
      'closed',
      'with more people than seats, the rest written as 0',
      { capacity: 30, enrolled: 33, available: 0, ...noList },
    ],
    ['closed', 'in a full shared room', { ...room, ...noList, ...sharedFull }],
    [
      'closed',
      'in a shared room that is full by its other figures',
      { ...room, ...noList, shared_capacity: 50, shared_total: 50 },
    ],
    ['closed', 'all of whose seats are reserved', { ...room, ...noList, unreserved_available: 0 }],
    ['closed', 'with fewer than no unreserved seats', { ...room, ...noList, unreserved_available: -1 }],
    [
      'closed',
      'in a shared room with more people than seats, the rest written as 0',
      { ...room, ...noList, ...sharedFull, shared_total: 52 },
    ],
    [
      'unknown',
      'with people on a list that has no places, none of them taken',
      { ...room, ...noList, waitlist_total: 3 },
    ],
    [
      'unknown',
      'with seats, in a shared room of which only the size is given',
      { ...room, ...noList, shared_capacity: 50 },
    ],
    [
      'unknown',
      'with seats, in a shared room of which only the people are given',
      { ...room, ...noList, shared_total: 50 },
    ],
    [
      'closed',
      'that is full, in a shared room of which only the size is given',
      { ...full, ...noList, shared_capacity: 50 },
    ],
    ['unknown', 'without any figure', {}],
    ['unknown', 'with figures of the list alone', emptyList],
    ['unknown', 'with a capacity alone', { capacity: 30 }],
    ['unknown', 'with figures of the shared room alone', shared],
    ['unknown', 'with seats that do not follow', { capacity: 30, enrolled: 25, available: 6, ...noList }],
    ['unknown', 'with seats though more people than seats', { capacity: 30, enrolled: 35, available: 5, ...noList }],
    ['unknown', 'full by its seats, and not by the others', { capacity: 30, enrolled: 25, available: 0, ...noList }],
    [
      'unknown',
      'with a list that does not follow',
      { ...room, waitlist_capacity: 10, waitlist_total: 0, waitlist_available: 4 },
    ],
    ['unknown', 'with a shared room that does not follow', { ...room, ...noList, ...shared, shared_available: 9 }],
    ['unknown', 'with more free seats than seats', { capacity: 30, available: 31 }],
    [
      'unknown',
      'with more places left on the list than it has',
      { ...room, waitlist_capacity: 5, waitlist_available: 6 },
    ],
    ['unknown', 'with more shared seats left than there are', { ...room, shared_capacity: 5, shared_available: 6 }],
    ['unknown', 'with more unreserved seats than seats', { ...room, ...noList, unreserved_available: 31 }],
    ['unknown', 'with a waitlist whose length is not known', { ...room, waitlist_available: 4 }],
    ['unknown', 'that is full, with no one on a list of unknown length', { ...full, waitlist_total: 0 }],
    ['unknown', 'that is full, with a full list of unknown length', { ...full, waitlist_available: 0 }],
    ['unknown', 'with a negative capacity', { capacity: -1, enrolled: 0, available: -1 }],
    ['unknown', 'with a negative enrollment', { capacity: 30, enrolled: -1, available: 31 }],
    [
      'unknown',
      'with negative people waiting',
      { ...room, waitlist_capacity: 5, waitlist_total: -1, waitlist_available: 6 },
    ],
    [
      'unknown',
      'with negative places on the list',
      { ...full, waitlist_capacity: 5, waitlist_total: 7, waitlist_available: -2 },
    ],
    ['unknown', 'with a list of negative length', { ...room, waitlist_capacity: -5 }],
    ['unknown', 'with a negative shared room', { ...room, ...noList, shared_capacity: -1, shared_available: -1 }],
    [
      'unknown',
      'with a negative number of people in the shared room',
      { ...room, ...noList, shared_total: -1, shared_available: 3 },
    ],
    ['unknown', 'with half a seat', { capacity: 30, available: 0.5 }],
    ['unknown', 'with half a reserved seat', { ...room, unreserved_available: 0.5 }],
    ['unknown', 'with half a shared seat', { ...room, ...noList, shared_available: 0.5 }],
    ['unknown', 'with a number that is none', { available: NaN }],
    ['unknown', 'with endless seats', { available: Infinity }],
    ['unknown', 'with absurdly many seats', { available: 100_001 }],
    ['unknown', 'with absurdly few seats', { available: -100_001 }],
    ['unknown', 'with an absurd capacity', { capacity: 1e15, enrolled: 0, available: 1e15 }],
  ])('is %s %s', (status, _how, figures) => {
    expect(statusOf(figures)).toBe(status)
    expect(whyUnknown(observation(figures)) === null).toBe(status !== 'unknown')
  })
})

describe("by the school's status, a section", () => {
  it.each<[Status, Status, string, Partial<Figures>]>([
    ['open', 'open', 'without figures', {}],
    ['closed', 'closed', 'without figures', {}],
    ['waitlisted', 'waitlisted', 'without figures', {}],
    ['unknown', 'unknown', 'without figures', {}],
    ['unknown', 'unknown', 'with seats', { ...room, ...noList }],
    ['open', 'open', 'with seats', { ...room, ...noList }],
    ['closed', 'closed', 'with seats kept back', { ...room, ...emptyList }],
    ['waitlisted', 'waitlisted', 'with seats kept back', { ...room, ...noList }],
    ['open', 'unknown', 'with no seat', { ...full, ...noList }],
    ['open', 'unknown', 'with 0 free seats and no other figure', { available: 0 }],
    ['open', 'unknown', 'with a full shared room', { ...room, ...noList, ...sharedFull }],
    ['open', 'unknown', 'with a full shared room and no other figure', sharedFull],
    [
      'open',
      'unknown',
      'with a shared room that is full by its other figures',
      { shared_capacity: 50, shared_total: 50 },
    ],
    ['open', 'unknown', 'with only reserved seats and no other figure', { unreserved_available: 0 }],
    ['open', 'open', 'with seats in the shared room and no other figure', shared],
    ['open', 'waitlisted', 'with people waiting', { ...room, ...longList }],
    ['open', 'waitlisted', 'with people waiting for an unknown number of seats', longList],
    ['open', 'unknown', 'with a list of which no one knows how many wait', { waitlist_available: 0 }],
    ['closed', 'unknown', 'with figures that contradict each other', { capacity: 30, enrolled: 30, available: 5 }],
  ])('that is %s there is %s %s', (stated, status, _how, figures) => {
    expect(statusOf(figures, { stated })).toBe(status)
  })
})

describe('by its flags, a section', () => {
  it('that is canceled is closed, whatever else is said', () => {
    expect(statusOf({ ...room, ...noList }, { flags: ['canceled'] })).toBe('closed')
    expect(statusOf({}, { stated: 'open', flags: ['canceled'] })).toBe('closed')
    expect(statusOf({ ...room, available: 9 }, { flags: ['canceled'] })).toBe('unknown')
  })

  it('with free seats reserved for certain students is never open', () => {
    expect(statusOf({ ...room, ...noList }, { flags: ['held'] })).toBe('unknown')
    expect(statusOf({}, { stated: 'open', flags: ['held'] })).toBe('unknown')
    expect(statusOf({ ...full, ...noList }, { flags: ['held'] })).toBe('closed')
    expect(statusOf({ ...room, waitlist_total: 1 }, { flags: ['held'] })).toBe('waitlisted')
  })

  it('that needs consent or shares its room has the status of its figures', () => {
    expect(statusOf({ ...room, ...noList }, { flags: ['permission', 'combined'] })).toBe('open')
  })
})

describe('a judged section', () => {
  it("has the school's own figures, or derived ones", () => {
    expect(judge(observation({ ...room, ...emptyList, ...shared, unreserved_available: 1 }))).toEqual({
      section_key: '1',
      status: 'open',
      seats_available: 5,
      seats_for_anyone: 1,
      capacity: 30,
      waitlist_available: 10,
    })
    const followed = { enrolled: 25, available: 5, waitlist_capacity: 10, waitlist_total: 4 }
    expect(judge(observation(followed))).toMatchObject({ seats_available: 5, capacity: 30, waitlist_available: 6 })
    expect(judge(observation({ capacity: 30, enrolled: 33 }))).toMatchObject({ seats_available: -3, capacity: 30 })
    expect(judge(observation({ ...full, waitlist_capacity: 5, waitlist_total: 7 }))).toMatchObject({
      waitlist_available: 0,
    })
    expect(judge(observation({}, { stated: 'open' }))).toMatchObject({ seats_available: null, capacity: null })
  })

  it('says how many seats anyone may take only if they are fewer', () => {
    const forAnyone = (given: Partial<Figures>) => judge(observation({ ...noList, ...given })).seats_for_anyone
    expect(forAnyone({ ...room, ...shared })).toBe(3)
    expect(forAnyone({ ...room, ...sharedFull })).toBe(0)
    expect(forAnyone({ ...room, unreserved_available: 2 })).toBe(2)
    expect(forAnyone({ ...room, shared_capacity: 90, shared_total: 40, shared_available: 50 })).toBeNull()
    expect(forAnyone(room)).toBeNull()
    expect(forAnyone({ ...full, ...sharedFull })).toBeNull()
  })

  it('has no figures if its status is unknown, and says why', () => {
    const doubted = observation({ ...room, ...noList }, { doubts: ['Half a row.', 'And more.'] })
    expect(judge(doubted)).toEqual({
      section_key: '1',
      status: 'unknown',
      seats_available: null,
      seats_for_anyone: null,
      capacity: null,
      waitlist_available: null,
    })
    expect(whyUnknown(doubted)).toBe('Half a row.')
    expect(whyUnknown(observation({ ...full, available: 5 }))).toBe(
      'The figures contradict each other: 30 seats in all, 30 people enrolled, 5 free seats.',
    )
    expect(whyUnknown(observation({ ...room, waitlist_total: -1 }))).toBe('The school gives -1 as people waiting.')
  })
})

const count = fc.oneof(fc.nat(40), fc.constantFrom(0, 1))
const anything = fc.option(fc.oneof(fc.integer({ min: -5, max: 40 }), fc.constantFrom(0, 0.5, -1, NaN, 1e15)))
const stated = fc.constantFrom<Status | null>(null, 'open', 'waitlisted', 'closed', 'unknown')

/** Honest, consistent figures. */
const honest: fc.Arbitrary<Figures> = fc
  .record({ enrolled: count, seats: count, total: count, places: count, sharedTotal: count, sharedSeats: count })
  .chain(({ enrolled, seats, total, places, sharedTotal, sharedSeats }) =>
    fc.record({
      capacity: fc.constant(seats),
      enrolled: fc.constant(enrolled),
      available: fc.constant(seats - enrolled),
      waitlist_total: fc.constant(total),
      waitlist_capacity: fc.constant(total + places),
      waitlist_available: fc.constant(places),
      shared_capacity: fc.constant(sharedSeats),
      shared_total: fc.constant(sharedTotal),
      shared_available: fc.constant(sharedSeats - sharedTotal),
      unreserved_available: fc.option(fc.integer({ min: -2, max: seats })),
    }),
  )

const anyFigures: fc.Arbitrary<Figures> = fc.record({
  capacity: anything,
  enrolled: anything,
  available: anything,
  waitlist_total: anything,
  waitlist_capacity: anything,
  waitlist_available: anything,
  shared_capacity: anything,
  shared_total: anything,
  shared_available: anything,
  unreserved_available: anything,
})

/** Mostly honest figures, some of which are replaced. */
const figures = fc
  .tuple(honest, anyFigures, fc.subarray(Object.keys(NO_FIGURES)))
  .map(([base, other, replaced]): Figures => ({ ...base, ...pick(other, replaced) }))

function pick(from: Figures, names: readonly string[]): Partial<Figures> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
}

describe('whatever a school says', () => {
  it('nothing is open if anyone waits, no seat is free, or something is doubted', () => {
    const doubts = fc.array(fc.constant('Half a row.'), { maxLength: 1 })
    fc.assert(
      fc.property(figures, stated, doubts, (given, word, doubted) => {
        const seats = judge(observation(given, { stated: word, doubts: doubted }))
        expect(seats.status === 'unknown').toBe(
          whyUnknown(observation(given, { stated: word, doubts: doubted })) !== null,
        )
        if (seats.status !== 'open') return
        expect(doubted).toEqual([])
        expect([null, 'open']).toContain(word)
        expect(given.waitlist_total ?? 0).toBe(0)
        const { waitlist_capacity: places, waitlist_available: left } = given
        if (places !== null && left !== null) expect(left).toBe(places)
        for (const free of [given.available, given.shared_available, given.unreserved_available]) {
          if (free !== null) expect(free).toBeGreaterThan(0)
        }
        if (given.capacity !== null && given.enrolled !== null) expect(given.capacity).toBeGreaterThan(given.enrolled)
      }),
    )
  })

  it('a believed section has whole figures that are no larger than the capacity', () => {
    fc.assert(
      fc.property(figures, stated, (given, word) => {
        const { status, ...seats } = judge(observation(given, { stated: word }))
        for (const value of [seats.seats_available, seats.capacity, seats.waitlist_available]) {
          if (value !== null) expect(Number.isInteger(value) && status !== 'unknown').toBe(true)
        }
        if (seats.seats_available !== null && seats.capacity !== null) {
          expect(seats.seats_available).toBeLessThanOrEqual(seats.capacity)
        }
        expect(seats.waitlist_available ?? 0).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('an honest row is never unknown, and open exactly if a seat is free and no one waits', () => {
    fc.assert(
      fc.property(honest, (given) => {
        const status = statusOf(given)
        const isFree = [given.available, given.shared_available, given.unreserved_available ?? 1].every(
          (free) => (free ?? 0) > 0,
        )
        const isOpen = isFree && given.waitlist_total === 0
        const isListed = (given.waitlist_capacity ?? 0) > 0
        expect(status).toBe(isOpen ? 'open' : isListed ? 'waitlisted' : 'closed')
      }),
    )
  })

  it('a missing figure leaves an honest row as it is, or unknown', () => {
    const names = fc.constantFrom(...Object.keys(NO_FIGURES).filter((name) => name !== 'unreserved_available'))
    fc.assert(
      fc.property(honest, names, (given, lost) => {
        expect(['unknown', statusOf(given)]).toContain(statusOf({ ...given, [lost]: null }))
      }),
    )
  })

  it('a single changed figure never opens or closes an honest row', () => {
    const names = fc.constantFrom(...Object.keys(NO_FIGURES).filter((name) => name !== 'unreserved_available'))
    fc.assert(
      fc.property(honest, names, fc.integer({ min: 1, max: 50 }), (given, changed, by) => {
        const before = Object.entries(given).find(([name]) => name === changed)?.[1] ?? 0
        expect(['unknown', statusOf(given)]).toContain(statusOf({ ...given, [changed]: before + by }))
      }),
    )
  })

  it('fewer free seats never open a section', () => {
    fc.assert(
      fc.property(honest, fc.integer({ min: -5, max: 40 }), (given, unreserved_available) => {
        const fewer = { ...given, unreserved_available }
        if (statusOf(fewer) === 'open') expect(statusOf({ ...given, unreserved_available: null })).toBe('open')
        expect(freeSeats(fewer) ?? 0).toBeLessThanOrEqual(unreserved_available)
      }),
    )
  })
})
