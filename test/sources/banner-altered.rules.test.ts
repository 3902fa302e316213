import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { readRow } from '../../src/sources/banner9/rows.ts'
import { judge } from '../../src/sources/judge.ts'
import type { Status } from '../../src/sources/source.ts'
import {
  CUT_SHORT,
  type Change,
  from,
  type Outcome,
  outcomeOf,
  type Row,
  set,
  without,
  writtenAnswer,
} from './altered-json.ts'
import { FAKE_BANNER, fakeRow, TERM } from './fake-banner.ts'
import { collected, groupOf, openCounted } from './lanes.ts'

interface Envelope extends Row {
  totalCount: unknown
  data: unknown
}

const KEY = '10002'
const noList = { waitCapacity: 0, waitCount: 0, waitAvailable: 0 }
const noRoom = { crossList: null, crossListCapacity: null, crossListCount: null, crossListAvailable: null }

function row(enrollment: number, more: Row): Row {
  const seatsAvailable = 30 - enrollment
  const figures = { maximumEnrollment: 30, enrollment, seatsAvailable, reservedSeatSummary: null }
  return { ...fakeRow(Number(KEY)), ...figures, ...noList, ...noRoom, openSection: seatsAvailable > 0, ...more }
}

/** Four honest rows with undoubted statuses. */
const ROWS = {
  open: row(25, { waitCapacity: 10, waitAvailable: 10 }),
  full: row(30, {}),
  waitlisted: row(30, { waitCapacity: 10, waitCount: 4, waitAvailable: 6 }),
  'in a full shared room': row(25, {
    crossList: 'AB',
    crossListCapacity: 50,
    crossListCount: 50,
    crossListAvailable: 0,
  }),
}
const TRUTH: readonly Status[] = ['open', 'closed', 'waitlisted', 'closed']

/** An altered answer, and the result for the four rows. `SAME`: the row is read correctly. */
interface Alteration extends Change<Envelope> {
  what: string
  outcome: Expected | readonly [open: Expected, full: Expected, waitlisted: Expected, shared: Expected]
  /** If the alteration makes another status correct. */
  truth?: readonly Status[]
}
type Expected = Outcome | 'SAME'

const add = (name: string, by: number) => (given: Row) => ({ ...given, [name]: Number(given[name]) + by })
const reserved = (unreserved: unknown, more: Row = {}) =>
  set({
    reservedSeatSummary: {
      class: 'net.hedtech.banner.student.schedule.SectionReservedSeatSummaryDecorator',
      courseReferenceNumber: KEY,
      maximumEnrollmentReserved: 12,
      maximumEnrollmentUnreserved: 18,
      seatsAvailableReserved: 3,
      seatsAvailableUnreserved: unreserved,
      termCode: TERM,
      waitAvailableReserved: 0,
      waitAvailableUnreserved: 0,
      waitCapacityReserved: 0,
      waitCapacityUnreserved: 0,
      ...more,
    },
  })
/** Alters the text from the row on. */
const inRow = from(`"courseReferenceNumber":"${KEY}"`)
const FIGURES = [
  'maximumEnrollment',
  'enrollment',
  'seatsAvailable',
  'waitCapacity',
  'waitCount',
  'waitAvailable',
  'crossListCapacity',
  'crossListCount',
  'crossListAvailable',
]
/** Reserved seats matter only in a row with free seats. */
const ifFree = ['unknown', 'SAME', 'SAME', 'SAME'] as const
const ALL_RESERVED: readonly Status[] = ['waitlisted', 'closed', 'waitlisted', 'closed']

const RETYPED: Alteration[] = [
  {
    what: 'all figures as strings',
    outcome: 'SAME',
    row: (given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          FIGURES.includes(name) && value !== null ? ` ${Number(value)}` : value,
        ]),
      ),
  },
  { what: 'the CRN as a number', outcome: 'SAME', row: set({ courseReferenceNumber: Number(KEY) }) },
  { what: 'the term as a number', outcome: 'SAME', row: set({ term: Number(TERM) }) },
  { what: 'seats as true', outcome: 'unknown', row: set({ seatsAvailable: true }) },
  { what: 'seats as false', outcome: 'unknown', row: set({ seatsAvailable: false }) },
  { what: 'half a seat', outcome: 'unknown', row: set({ seatsAvailable: 0.5 }) },
  { what: 'half a seat in a string', outcome: 'unknown', row: set({ seatsAvailable: '0.5' }) },
  { what: '1e15 seats', outcome: 'unknown', row: set({ seatsAvailable: 1e15 }) },
  {
    what: '1e15 seats of 1e15',
    outcome: 'unknown',
    row: set({ seatsAvailable: 1e15, maximumEnrollment: 1e15, enrollment: 0 }),
  },
  { what: 'seats as a word', outcome: 'unknown', row: set({ seatsAvailable: 'many' }) },
  { what: 'seats as an empty string', outcome: 'unknown', row: set({ seatsAvailable: '' }) },
  { what: 'seats as a list', outcome: 'unknown', row: set({ seatsAvailable: [5] }) },
  { what: 'seats as an object', outcome: 'unknown', row: set({ seatsAvailable: { value: 5 } }) },
  { what: 'enrollment as a word', outcome: 'unknown', row: set({ enrollment: 'NaN' }) },
  { what: 'capacity as true', outcome: 'unknown', row: set({ maximumEnrollment: true }) },
  { what: 'people waiting as a word', outcome: 'unknown', row: set({ waitCount: 'none' }) },
  { what: 'people waiting as false', outcome: 'unknown', row: set({ waitCount: false }) },
  { what: 'places on the list as a list', outcome: 'unknown', row: set({ waitAvailable: [] }) },
  { what: 'the shared room as a word', outcome: 'unknown', row: set({ crossListAvailable: 'full' }) },
  {
    what: 'the shared room named by a number',
    outcome: ['unknown', 'unknown', 'unknown', 'closed'],
    row: set({ crossList: 7 }),
  },
  { what: 'the row as null', outcome: 'refused', row: () => null },
  { what: 'the row as a list', outcome: 'refused', row: (given) => [given] },
  { what: 'the row as a string', outcome: 'refused', row: (given) => JSON.stringify(given) },
  {
    what: 'the rows as an object',
    outcome: 'refused',
    envelope: (given) => ({ ...given, data: { rows: given.data } }),
  },
  { what: 'the count as a string', outcome: 'refused', envelope: (given) => ({ ...given, totalCount: '3' }) },
  { what: 'the count as a fraction', outcome: 'refused', envelope: (given) => ({ ...given, totalCount: 3.5 }) },
  { what: 'success as a string', outcome: 'refused', envelope: (given) => ({ ...given, success: 'true' }) },
]

const MISSING: Alteration[] = [
  { what: 'seats', outcome: 'SAME', row: without('seatsAvailable') },
  { what: 'enrollment', outcome: 'SAME', row: without('enrollment') },
  { what: 'capacity', outcome: 'SAME', row: without('maximumEnrollment') },
  { what: 'capacity and enrollment', outcome: 'SAME', row: without('maximumEnrollment', 'enrollment') },
  { what: 'seats, as null', outcome: 'SAME', row: set({ seatsAvailable: null }) },
  { what: 'seats and enrollment', outcome: 'unknown', row: without('seatsAvailable', 'enrollment') },
  { what: 'seats and capacity', outcome: 'unknown', row: without('seatsAvailable', 'maximumEnrollment') },
  {
    what: 'seats, capacity and enrollment',
    outcome: 'unknown',
    row: without('seatsAvailable', 'maximumEnrollment', 'enrollment'),
  },
  {
    what: 'seats, capacity and enrollment, as null',
    outcome: 'unknown',
    row: set({ seatsAvailable: null, maximumEnrollment: null, enrollment: null }),
  },
  { what: 'people waiting', outcome: 'SAME', row: without('waitCount') },
  { what: 'people waiting, as null', outcome: 'SAME', row: set({ waitCount: null }) },
  { what: 'places on the list', outcome: 'SAME', row: without('waitAvailable') },
  { what: 'the length of the list', outcome: 'SAME', row: without('waitCapacity') },
  {
    what: 'people waiting and the length of the list',
    outcome: ['unknown', 'unknown', 'waitlisted', 'unknown'],
    row: set({ waitCount: null, waitCapacity: null }),
  },
  { what: 'people waiting and places on the list', outcome: 'unknown', row: without('waitCount', 'waitAvailable') },
  { what: 'all of the waitlist', outcome: 'unknown', row: without('waitCount', 'waitCapacity', 'waitAvailable') },
  { what: 'the name of the shared room', outcome: 'SAME', row: without('crossList') },
  {
    what: 'the name of the shared room, as null',
    outcome: ['SAME', 'SAME', 'SAME', 'unknown'],
    row: set({ crossList: null }),
  },
  { what: 'the capacity of the shared room', outcome: 'SAME', row: without('crossListCapacity') },
  { what: 'the seats left in the shared room', outcome: 'SAME', row: without('crossListAvailable') },
  {
    what: 'capacity and seats of the shared room',
    outcome: ['open', 'closed', 'waitlisted', 'unknown'],
    row: without('crossListCapacity', 'crossListAvailable'),
  },
  {
    what: 'people and seats of the shared room, as null',
    outcome: ['open', 'closed', 'waitlisted', 'unknown'],
    row: set({ crossListCount: null, crossListAvailable: null }),
  },
  {
    what: 'all of the shared room',
    outcome: ['unknown', 'closed', 'waitlisted', 'unknown'],
    row: without(...Object.keys(noRoom)),
  },
  {
    what: 'all of the shared room but its capacity',
    outcome: ['unknown', 'SAME', 'SAME', 'unknown'],
    row: (given) => ({
      ...without('crossList', 'crossListCount')(given),
      crossListCapacity: 50,
      crossListAvailable: null,
    }),
  },
  { what: 'reserved seats', outcome: 'SAME', row: without('reservedSeatSummary') },
  { what: 'texts', outcome: 'SAME', row: without('courseTitle', 'faculty', 'meetingsFaculty', 'sequenceNumber') },
  {
    what: 'all but the name of the section',
    outcome: 'unknown',
    row: ({ term, subject, courseReferenceNumber, courseNumber }) => ({
      term,
      subject,
      courseReferenceNumber,
      courseNumber,
    }),
  },
  {
    what: 'the second half of the row',
    outcome: 'unknown',
    row: (given) => Object.fromEntries(Object.entries(given).slice(0, 10)),
  },
  { what: 'the CRN', outcome: 'refused', row: without('courseReferenceNumber') },
  { what: 'the CRN, as null', outcome: 'refused', row: set({ courseReferenceNumber: null }) },
  { what: 'the term', outcome: 'refused', row: without('term') },
  { what: 'the subject', outcome: 'refused', row: without('subject') },
  {
    what: 'the row',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, data: rowsOf(given).filter((each) => each !== altered) }),
  },
  { what: 'the count', outcome: 'refused', envelope: ({ success, data, pathMode }) => ({ success, data, pathMode }) },
  {
    what: 'the rows',
    outcome: 'refused',
    envelope: ({ success, totalCount, pathMode }) => ({ success, totalCount, pathMode }),
  },
  { what: 'the rows, as null', outcome: 'refused', envelope: (given) => ({ ...given, data: null }) },
]

const CONTRADICTORY: Alteration[] = [
  {
    what: 'five seats, and more people than seats',
    outcome: 'unknown',
    row: set({ seatsAvailable: 5, enrollment: 35 }),
  },
  { what: 'one seat more', outcome: 'unknown', row: add('seatsAvailable', 1) },
  { what: 'one seat fewer', outcome: 'unknown', row: add('seatsAvailable', -1) },
  { what: 'one person fewer', outcome: 'unknown', row: add('enrollment', -1) },
  { what: 'a larger class', outcome: 'unknown', row: add('maximumEnrollment', 5) },
  { what: 'no seats', outcome: ['unknown', 'closed', 'waitlisted', 'unknown'], row: set({ seatsAvailable: 0 }) },
  { what: 'more seats than the class has', outcome: 'unknown', row: set({ seatsAvailable: 31 }) },
  {
    what: 'more seats than the class has, no one said to be enrolled',
    outcome: 'unknown',
    row: set({ seatsAvailable: 31, enrollment: null }),
  },
  { what: 'fewer than no people', outcome: 'unknown', row: set({ enrollment: -5, seatsAvailable: 35 }) },
  {
    what: 'a class of fewer than no seats',
    outcome: 'unknown',
    row: set({ maximumEnrollment: -5, enrollment: 0, seatsAvailable: -5 }),
  },
  {
    what: 'seventeen people on the list, and its places free',
    outcome: 'unknown',
    row: set({ waitCapacity: 20, waitCount: 17, waitAvailable: 20 }),
  },
  {
    what: 'no one on the list, and its places taken',
    outcome: 'unknown',
    row: set({ waitCapacity: 20, waitCount: 0, waitAvailable: 3 }),
  },
  {
    what: 'fewer than no people on the list',
    outcome: 'unknown',
    row: set({ waitCapacity: 5, waitCount: -1, waitAvailable: 6 }),
  },
  {
    what: 'fewer than no places on the list',
    outcome: 'unknown',
    row: set({ waitCapacity: 5, waitCount: 7, waitAvailable: -2 }),
  },
  {
    what: 'more places left on the list than it has',
    outcome: 'unknown',
    row: set({ waitCapacity: 5, waitCount: null, waitAvailable: 6 }),
  },
  {
    what: 'room in a shared room that is full',
    outcome: 'unknown',
    row: set({ crossList: 'AB', crossListCapacity: 50, crossListCount: 50, crossListAvailable: 9 }),
  },
  {
    what: 'more room in a shared room than it has',
    outcome: 'unknown',
    row: set({ crossList: 'AB', crossListCapacity: 5, crossListCount: null, crossListAvailable: 9 }),
  },
  {
    what: 'a full shared room where no room is shared',
    outcome: ['unknown', 'SAME', 'SAME', 'SAME'],
    row: (given) =>
      given.crossList === null
        ? set({ crossListCapacity: 50, crossListCount: 50, crossListAvailable: 0 })(given)
        : given,
  },
  {
    what: 'a shared room of no seats where no room is shared',
    outcome: 'SAME',
    row: (given) =>
      given.crossList === null ? set({ crossListCapacity: 0, crossListCount: 0, crossListAvailable: 0 })(given) : given,
  },
  { what: 'openSection', outcome: 'SAME', row: (given) => ({ ...given, openSection: given.openSection !== true }) },
  { what: 'success', outcome: 'refused', envelope: (given) => ({ ...given, success: false }) },
  { what: 'a count that is too low', outcome: 'refused', envelope: (given) => ({ ...given, totalCount: 2 }) },
  { what: 'a count that is too high', outcome: 'refused', envelope: (given) => ({ ...given, totalCount: 4 }) },
  { what: 'a negative count', outcome: 'refused', envelope: (given) => ({ ...given, totalCount: -1 }) },
  { what: 'a row of another term', outcome: 'refused', row: set({ term: '202620' }) },
  { what: 'a row of another subject', outcome: 'refused', row: set({ subject: 'BIOL' }) },
]

const RESERVED: Alteration[] = [
  { what: 'all seats reserved', outcome: 'SAME', truth: ALL_RESERVED, row: reserved(0) },
  { what: 'one more reserved than is free', outcome: 'SAME', truth: ALL_RESERVED, row: reserved(-1) },
  { what: 'some seats reserved', outcome: 'SAME', row: reserved(2) },
  { what: 'some seats reserved, as strings', outcome: 'SAME', row: reserved('2', { maximumEnrollmentReserved: '12' }) },
  { what: 'how many are not is missing', outcome: ifFree, row: reserved(undefined) },
  { what: 'how many are not is a word', outcome: ifFree, row: reserved('some') },
  { what: 'how many are not is a fraction', outcome: ifFree, row: reserved(1.5) },
  { what: 'how many are is missing', outcome: ifFree, row: reserved(5, { maximumEnrollmentReserved: undefined }) },
  { what: 'fewer than none are', outcome: ifFree, row: reserved(5, { maximumEnrollmentReserved: -1 }) },
  { what: 'none are, and yet fewer are free', outcome: ifFree, row: reserved(-3, { maximumEnrollmentReserved: 0 }) },
  { what: 'how many are is a word', outcome: ifFree, row: reserved(5, { maximumEnrollmentReserved: 'some' }) },
  {
    what: 'none are, and all that are free are free',
    outcome: ['SAME', 'SAME', 'SAME', 'SAME'],
    row: (given) => reserved(given.seatsAvailable, { maximumEnrollmentReserved: 0 })(given),
  },
  { what: 'another section is meant', outcome: ifFree, row: reserved(5, { courseReferenceNumber: '10003' }) },
  { what: 'more are not than the class has', outcome: 'unknown', row: reserved(31) },
  { what: 'the summary has another shape', outcome: ifFree, row: set({ reservedSeatSummary: { total: 5 } }) },
  { what: 'the summary is a list', outcome: ifFree, row: set({ reservedSeatSummary: [] }) },
  { what: 'the summary is true', outcome: ifFree, row: set({ reservedSeatSummary: true }) },
  { what: 'the summary is a number', outcome: ifFree, row: set({ reservedSeatSummary: 5 }) },
]

const TRUNCATED: Alteration[] = [
  ...CUT_SHORT,
  {
    what: 'within the figure of seats',
    outcome: 'refused',
    text: inRow((text) => text.slice(0, text.indexOf('"seatsAvailable":') + '"seatsAvailable":1'.length)),
  },
  {
    what: 'within the row, closed again',
    outcome: 'refused',
    text: inRow((text) => `${text.slice(0, text.indexOf('"waitCapacity"'))}"x":1}]}`),
  },
  {
    what: 'after two rows, closed again',
    outcome: 'refused',
    envelope: (given) => ({ ...given, data: rowsOf(given).slice(0, 2) }),
  },
]

const DUPLICATED: Alteration[] = [
  {
    what: 'the row, agreeing',
    outcome: 'SAME',
    envelope: (given, altered) => ({ ...given, totalCount: 4, data: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, agreeing, but not in the count',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, data: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, and then open',
    outcome: ['SAME', 'unknown', 'unknown', 'unknown'],
    envelope: (given) => ({ ...given, totalCount: 4, data: [...rowsOf(given), ROWS.open] }),
  },
  {
    what: 'the row, and before that open',
    outcome: ['SAME', 'unknown', 'unknown', 'unknown'],
    envelope: (given) => ({ ...given, totalCount: 4, data: [ROWS.open, ...rowsOf(given)] }),
  },
  {
    what: 'the row, and then full',
    outcome: ['unknown', 'SAME', 'unknown', 'unknown'],
    envelope: (given) => ({ ...given, totalCount: 4, data: [...rowsOf(given), ROWS.full] }),
  },
  {
    what: 'the row, and then half of it',
    outcome: 'unknown',
    envelope: (given, altered) => ({
      ...given,
      totalCount: 4,
      data: [...rowsOf(given), without('seatsAvailable', 'enrollment')(altered as Row)],
    }),
  },
  {
    what: 'the row, and then with a figure that is none',
    outcome: 'unknown',
    envelope: (given, altered) => ({
      ...given,
      totalCount: 4,
      data: [...rowsOf(given), set({ waitCount: 'many' })(altered as Row)],
    }),
  },
  {
    what: 'the row, and then in a shared room of which nothing is said',
    outcome: ['unknown', 'unknown', 'unknown', 'SAME'],
    envelope: (given, altered) => ({
      ...given,
      totalCount: 4,
      data: [...rowsOf(given), set({ crossList: 'CD' })(altered as Row)],
    }),
  },
  {
    what: 'the seats within the row, in another number',
    outcome: 'unknown',
    text: inRow((text) =>
      text.replace(/"seatsAvailable":(-?\d+)/, (given, seats) => `${given},"seatsAvailable":${Number(seats) + 1}`),
    ),
  },
  { what: 'the rows', outcome: 'refused', text: (text) => `${text.slice(0, -1)},"data":[]}` },
]

const GROUPS: [string, Alteration[]][] = [
  ['re-typed', RETYPED],
  ['missing', MISSING],
  ['contradictory', CONTRADICTORY],
  ['reserved', RESERVED],
  ['broken off', TRUNCATED],
  ['doubled', DUPLICATED],
]

function rowsOf({ data }: Envelope): unknown[] {
  return Array.isArray(data) ? data : []
}

/** The school's answer: the row between two unaltered ones. */
const answerOf = (honest: Row, change: Change<Envelope>): string =>
  writtenAnswer(honest, change, (altered) => ({
    success: true,
    totalCount: 3,
    data: [{ ...ROWS.open, courseReferenceNumber: '10001' }, altered, { ...ROWS.full, courseReferenceNumber: '10003' }],
    pathMode: 'search',
  }))

/** What a refresh and a poll read from an answer, for the row and the two beside it. */
async function read(body: string) {
  const fetch = async (input: string) => {
    if (input.includes('term/search')) return Response.json({ fwdURL: '/classSearch' })
    return input.includes('resetDataForm') ? Response.json(true) : new Response(body)
  }
  const group = groupOf({ term: TERM, subject: 'MATH' })
  const keys = ['10001', KEY, '10003']
  const listed = await openCounted(banner9, FAKE_BANNER, { fetch }).lane.sections(group)
  const watched = keys.map((section_key) => ({ section_key, level: '1010' }))
  const polled = openCounted(banner9, FAKE_BANNER, { fetch }).lane.seats([{ group, watched }], new Map())
  const [seats] = await collected(polled)
  if (seats === undefined) throw new Error('the group has no answer')
  const refresh = listed.known ? { ...listed, value: listed.value.sections } : listed
  const poll = seats.answer.known ? { ...seats.answer, value: seats.answer.value.seen } : seats.answer
  return keys.map((key) => ({ refresh: outcomeOf(refresh, key), poll: outcomeOf(poll, key) }))
}

describe.each(GROUPS)('a Banner answer, %s:', (_group, alterations) => {
  const cases = alterations.flatMap((alteration) =>
    Object.entries(ROWS).map(([kind, honest], index) => ({ ...alteration, alteration, kind, honest, index })),
  )

  it.each(cases)('$what, with a row that is $kind', async ({ alteration, honest, index }) => {
    const { outcome, truth = TRUTH } = alteration
    const expected = typeof outcome === 'string' ? outcome : (outcome[index] ?? 'unknown')
    const status = truth[index] ?? 'unknown'
    const [before, altered, after] = await read(answerOf(honest, alteration))
    expect(altered?.refresh).toBe(expected === 'SAME' ? status : expected)
    // A poll reads only up to the sections it looks for, so a wrong count may not matter to it.
    const harmless = expected === 'refused' ? ['refused', 'absent', 'unknown', status] : [altered?.refresh]
    expect(harmless).toContain(altered?.poll)
    for (const [other, its] of [
      [before, 'open'],
      [after, 'closed'],
    ] as const) {
      const allowed = [its, 'refused', 'absent', ...(expected === 'refused' ? ['unknown'] : [])]
      for (const seen of [other?.refresh, other?.poll]) expect(allowed).toContain(seen)
    }
  })
})

describe('a Banner row with', () => {
  const kinds = fc.constantFrom(
    ...Object.values(ROWS).map((honest, index) => ({ honest, truth: TRUTH[index] ?? 'unknown' })),
  )
  const fields = [...FIGURES, 'crossList']
  const statusOf = (altered: Row): Outcome => {
    const read = readRow(JSON.parse(JSON.stringify(altered)))
    return read === null ? 'refused' : judge(read.section).status
  }

  it('one arbitrary figure is read correctly, or unknown', () => {
    const number = fc.oneof(fc.integer({ min: -60, max: 60 }), fc.constantFrom(0.5, 1e9, 1e15, -1e15))
    const value = fc.oneof(number, number.map(String), fc.jsonValue({ maxDepth: 1 }))
    fc.assert(
      fc.property(kinds, fc.constantFrom(...fields), value, ({ honest, truth }, field, anything) => {
        expect(['unknown', truth]).toContain(statusOf({ ...honest, [field]: anything }))
      }),
    )
  })

  it('an arbitrary summary of reserved seats is read correctly, or unknown', () => {
    fc.assert(
      fc.property(kinds, fc.jsonValue({ maxDepth: 2 }), ({ honest, truth }, summary) => {
        expect(['unknown', truth]).toContain(statusOf({ ...honest, reservedSeatSummary: summary }))
      }),
    )
  })

  it('missing figures is read correctly, or unknown', () => {
    fc.assert(
      fc.property(kinds, fc.subarray(fields), ({ honest, truth }, lost) => {
        expect(['unknown', truth]).toContain(statusOf(without(...lost)(honest)))
      }),
    )
  })
})

it('Banner answers are altered in at least 24 ways, and honest ones are read correctly', async () => {
  expect(GROUPS.flatMap(([, alterations]) => alterations).length).toBeGreaterThanOrEqual(24)
  for (const [index, each] of Object.values(ROWS).entries()) {
    const [, section] = await read(answerOf(each, {}))
    expect(section).toEqual({ refresh: TRUTH[index], poll: TRUTH[index] })
  }
})
