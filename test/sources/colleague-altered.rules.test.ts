import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { readRow } from '../../src/sources/colleague/rows.ts'
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
import { FAKE_COLLEAGUE, fakeColleague, fixture } from './fake-colleague.ts'
import { collected, groupOf, openCounted } from './lanes.ts'

const TERM = '2026FA'
const KEY = '10002'

function row(fields: Row): Row {
  return {
    Term: { Code: TERM, Description: 'Fall 2026' },
    Course: { Id: '546', SubjectCode: 'MATH', Number: '1010', Title: 'Algebra' },
    FacultyDisplay: ['Noether, E'],
    FormattedMeetingTimes: [{ Days: [1, 3], StartTimeDisplay: '7:00 PM', EndTimeDisplay: '8:15 PM' }],
    Id: KEY,
    Number: '001',
    TermId: TERM,
    Title: 'Algebra',
    LocationCode: 'M',
    IsActive: true,
    HasUnlimitedSeats: false,
    AreSeatCountsAvailable: true,
    Available: 5,
    Capacity: 30,
    Enrolled: 25,
    Waitlisted: 0,
    WaitlistAvailable: false,
    AvailabilityStatus: 'Open',
    ...fields,
  }
}

const FULL = { Available: 0, Enrolled: 30, AvailabilityStatus: 'Closed' }

/** Honest rows with undoubted statuses. */
const ROWS = {
  open: row({}),
  full: row(FULL),
  waitlisted: row({ ...FULL, Waitlisted: 4, WaitlistAvailable: true, AvailabilityStatus: 'Waitlisted' }),
  'promised to the list': row({ Available: 2, Enrolled: 28, Waitlisted: 3, AvailabilityStatus: 'Waitlisted' }),
  'without limit': row({ HasUnlimitedSeats: true, Available: 0, Capacity: 0, Enrolled: 40 }),
  'in a shared room': row({ Available: 2, Capacity: 50, Enrolled: 40 }),
  'open, in numbers': row({ AvailabilityStatus: 0, Enrolled: undefined, AreSeatCountsAvailable: undefined }),
  'full, in numbers': row({ ...FULL, AvailabilityStatus: 2, Enrolled: undefined, AreSeatCountsAvailable: undefined }),
} as const
type Kind = keyof typeof ROWS

const TRUTH: Readonly<Record<Kind, Status>> = {
  open: 'open',
  full: 'closed',
  waitlisted: 'waitlisted',
  'promised to the list': 'waitlisted',
  'without limit': 'open',
  'in a shared room': 'open',
  'open, in numbers': 'open',
  'full, in numbers': 'closed',
}
const OPEN: readonly Kind[] = ['open', 'without limit', 'in a shared room', 'open, in numbers']

/** An altered answer, and the result for each row. `SAME`: the row is read correctly. */
interface Alteration extends Change {
  what: string
  outcome: Outcome | 'SAME'
  /** The rows with another result. */
  but?: Partial<Record<Kind, Outcome | 'SAME'>>
}

const each = (kinds: readonly Kind[], outcome: Outcome | 'SAME'): Partial<Record<Kind, Outcome | 'SAME'>> =>
  Object.fromEntries(kinds.map((kind) => [kind, outcome]))
/** Invalid values for a figure in use: seats without limit have none. */
const seatsOnly = { 'without limit': 'SAME' } as const
const rowsOf = ({ Sections }: Row): unknown[] => (Array.isArray(Sections) ? Sections : [])
/** Alters the text from the row on. */
const inRow = from(`"Id":"${KEY}"`)
const FIGURES = ['Available', 'Capacity', 'Enrolled', 'Waitlisted']

const RETYPED: Alteration[] = [
  {
    what: 'all figures as strings',
    outcome: 'SAME',
    row: (given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [
          name,
          FIGURES.includes(name) && typeof value === 'number' ? ` ${value}` : value,
        ]),
      ),
  },
  { what: 'the id as a number', outcome: 'SAME', row: set({ Id: Number(KEY) }) },
  { what: 'seats as true', outcome: 'unknown', but: seatsOnly, row: set({ Available: true }) },
  { what: 'half a seat', outcome: 'unknown', but: seatsOnly, row: set({ Available: 0.5 }) },
  { what: 'half a seat in a string', outcome: 'unknown', but: seatsOnly, row: set({ Available: '0.5' }) },
  { what: '1e15 seats', outcome: 'unknown', but: seatsOnly, row: set({ Available: 1e15 }) },
  {
    what: '1e15 seats of 1e15',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: 1e15, Capacity: 1e15, Enrolled: 0 }),
  },
  { what: 'seats as a word', outcome: 'unknown', but: seatsOnly, row: set({ Available: 'many' }) },
  { what: 'seats as an empty string', outcome: 'unknown', but: seatsOnly, row: set({ Available: '' }) },
  { what: 'seats as a list', outcome: 'unknown', but: seatsOnly, row: set({ Available: [5] }) },
  { what: 'seats as an object', outcome: 'unknown', but: seatsOnly, row: set({ Available: { value: 5 } }) },
  { what: 'capacity as true', outcome: 'unknown', but: seatsOnly, row: set({ Capacity: true }) },
  { what: 'people as a word', outcome: 'unknown', but: seatsOnly, row: set({ Enrolled: 'NaN' }) },
  { what: 'people waiting as a word', outcome: 'unknown', row: set({ Waitlisted: 'none' }) },
  { what: 'people waiting as false', outcome: 'unknown', row: set({ Waitlisted: false }) },
  { what: 'people waiting as a list', outcome: 'unknown', row: set({ Waitlisted: [] }) },
  { what: 'the status as a number in a string', outcome: 'unknown', row: set({ AvailabilityStatus: '0' }) },
  { what: 'the status in small letters', outcome: 'unknown', row: set({ AvailabilityStatus: 'open' }) },
  { what: 'the status as true', outcome: 'unknown', row: set({ AvailabilityStatus: true }) },
  { what: 'the status as another number', outcome: 'unknown', row: set({ AvailabilityStatus: 3 }) },
  { what: 'the status as another word', outcome: 'unknown', row: set({ AvailabilityStatus: 'Cancelled' }) },
  { what: 'the status as an object', outcome: 'unknown', row: set({ AvailabilityStatus: { Value: 'Open' } }) },
  { what: 'no limit as a word', outcome: 'unknown', row: set({ HasUnlimitedSeats: 'true' }) },
  { what: 'no limit as a number', outcome: 'unknown', row: set({ HasUnlimitedSeats: 1 }) },
  { what: 'whether seats are shown as a word', outcome: 'unknown', row: set({ AreSeatCountsAvailable: 'false' }) },
  { what: 'the course as a word', outcome: 'refused', row: set({ Course: 'MATH-1010' }) },
  { what: 'the teachers as a word', outcome: 'SAME', row: set({ FacultyDisplay: 'Noether, E' }) },
  { what: 'the teachers as a number', outcome: 'SAME', row: set({ FacultyDisplay: 5 }) },
  { what: 'the times as an object', outcome: 'SAME', row: set({ FormattedMeetingTimes: { Days: [1] } }) },
  { what: 'the times as numbers', outcome: 'SAME', row: set({ FormattedMeetingTimes: [5, null, 'x'] }) },
  { what: 'the row as null', outcome: 'refused', row: () => null },
  { what: 'the row as a list', outcome: 'refused', row: (given) => [given] },
  { what: 'the row as a string', outcome: 'refused', row: (given) => JSON.stringify(given) },
  { what: 'the rows as an object', outcome: 'refused', envelope: (given) => ({ ...given, Sections: { 0: given } }) },
  { what: 'the count as a string', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: '3' }) },
  { what: 'the count as a fraction', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: 3.5 }) },
  { what: 'the pages as a string', outcome: 'refused', envelope: (given) => ({ ...given, TotalPages: '1' }) },
  { what: 'the page as a string', outcome: 'refused', envelope: (given) => ({ ...given, CurrentPageIndex: '1' }) },
  { what: 'the error as an object', outcome: 'refused', envelope: (given) => ({ ...given, ErrorMessage: {} }) },
]

const MISSING: Alteration[] = [
  { what: 'seats', outcome: 'SAME', but: { ...each(OPEN, 'unknown'), ...seatsOnly }, row: without('Available') },
  {
    what: 'seats, as null',
    outcome: 'SAME',
    but: { ...each(OPEN, 'unknown'), ...seatsOnly },
    row: set({ Available: null }),
  },
  { what: 'capacity', outcome: 'SAME', row: without('Capacity') },
  { what: 'people', outcome: 'SAME', row: without('Enrolled') },
  { what: 'capacity and people', outcome: 'SAME', row: without('Capacity', 'Enrolled') },
  { what: 'people waiting', outcome: 'SAME', but: each(OPEN, 'unknown'), row: without('Waitlisted') },
  { what: 'people waiting, as null', outcome: 'SAME', but: each(OPEN, 'unknown'), row: set({ Waitlisted: null }) },
  { what: 'whether the list has room', outcome: 'SAME', row: without('WaitlistAvailable') },
  { what: 'all figures', outcome: 'SAME', but: each(OPEN, 'unknown'), row: without(...FIGURES) },
  { what: 'the status', outcome: 'unknown', row: without('AvailabilityStatus') },
  { what: 'the status, as null', outcome: 'unknown', row: set({ AvailabilityStatus: null }) },
  { what: 'the status, as an empty word', outcome: 'unknown', row: set({ AvailabilityStatus: '' }) },
  {
    what: 'whether there is a limit',
    outcome: 'SAME',
    // Its figures then say 0 of 0.
    but: { 'without limit': 'unknown' },
    row: without('HasUnlimitedSeats'),
  },
  { what: 'whether seats are shown', outcome: 'SAME', row: without('AreSeatCountsAvailable') },
  { what: 'whether it is active', outcome: 'SAME', row: without('IsActive') },
  { what: 'texts', outcome: 'SAME', row: without('Title', 'Number', 'FacultyDisplay', 'FormattedMeetingTimes') },
  {
    what: 'all but the name of the section',
    outcome: 'unknown',
    row: ({ Id, TermId, Course }) => ({ Id, TermId, Course }),
  },
  {
    what: 'the second half of the row',
    outcome: 'unknown',
    row: (given) => Object.fromEntries(Object.entries(given).slice(0, 9)),
  },
  { what: 'the id', outcome: 'refused', row: without('Id') },
  { what: 'the id, as null', outcome: 'refused', row: set({ Id: null }) },
  { what: 'the id, as an empty word', outcome: 'refused', row: set({ Id: ' ' }) },
  { what: "the term's id", outcome: 'SAME', row: without('TermId') },
  { what: 'all of the term', outcome: 'refused', row: without('TermId', 'Term') },
  { what: 'the course', outcome: 'refused', row: without('Course') },
  { what: 'the subject', outcome: 'refused', row: set({ Course: { Id: '546', Number: '1010' } }) },
  {
    what: 'the row',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, Sections: rowsOf(given).filter((one) => one !== altered) }),
  },
  { what: 'the count', outcome: 'refused', envelope: without('TotalItems') },
  { what: 'the count of pages', outcome: 'refused', envelope: without('TotalPages') },
  { what: 'which page it is', outcome: 'refused', envelope: without('CurrentPageIndex') },
  { what: 'the rows', outcome: 'refused', envelope: without('Sections') },
  { what: 'the rows, as null', outcome: 'refused', envelope: (given) => ({ ...given, Sections: null }) },
  { what: 'all rows', outcome: 'refused', envelope: (given) => ({ ...given, Sections: [] }) },
  { what: 'that there is no error', outcome: 'SAME', envelope: without('ErrorMessage') },
]

const CONTRADICTORY: Alteration[] = [
  {
    what: 'five seats, and more people than seats',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: 5, Capacity: 30, Enrolled: 35 }),
  },
  {
    what: 'more seats than are left',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: 8, Capacity: 30, Enrolled: 25 }),
  },
  {
    what: 'more seats than the class has',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: 31, Capacity: 30 }),
  },
  {
    what: 'seats of a class that has none',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: 1, Capacity: 0, Enrolled: 0 }),
  },
  {
    what: 'no seats',
    outcome: 'SAME',
    but: { ...each(OPEN, 'unknown'), ...seatsOnly },
    row: set({ Available: 0 }),
  },
  { what: 'fewer than no people', outcome: 'unknown', but: seatsOnly, row: set({ Enrolled: -5 }) },
  { what: 'a class of fewer than no seats', outcome: 'unknown', but: seatsOnly, row: set({ Capacity: -5 }) },
  { what: 'fewer than no people on the list', outcome: 'unknown', row: set({ Waitlisted: -1 }) },
  { what: 'more people on the list than there are', outcome: 'unknown', row: set({ Waitlisted: 1e9 }) },
  {
    what: 'fewer than no seats',
    outcome: 'unknown',
    but: seatsOnly,
    row: set({ Available: -3, Capacity: 30, Enrolled: 30 }),
  },
  {
    // If people wait, the seats are theirs, whatever the status word.
    what: 'people who wait for it',
    outcome: 'SAME',
    but: each(OPEN, 'waitlisted'),
    row: set({ Waitlisted: 2 }),
  },
  {
    what: 'open, in its word alone',
    outcome: 'unknown',
    but: { ...each(OPEN, 'SAME'), 'promised to the list': 'SAME' },
    row: (given) => ({ ...given, AvailabilityStatus: 'Open', ...(given['Available'] === 0 ? { Waitlisted: 0 } : {}) }),
  },
  { what: 'open in a text for people', outcome: 'SAME', row: set({ AvailabilityStatusDisplay: 'Open' }) },
  { what: 'seats in a text for people', outcome: 'SAME', row: set({ AvailabilityDisplay: '9 / 30 / 0' }) },
  {
    what: 'hidden seats',
    outcome: 'SAME',
    but: { ...each(OPEN, 'unknown'), ...seatsOnly },
    row: set({ AreSeatCountsAvailable: false }),
  },
  { what: 'not active', outcome: 'unknown', row: set({ IsActive: false }) },
  { what: 'a count that is too low', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: 2 }) },
  { what: 'a count that is too high', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: 4 }) },
  { what: 'a negative count', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: -1 }) },
  { what: 'a count of none', outcome: 'refused', envelope: (given) => ({ ...given, TotalItems: 0, TotalPages: 0 }) },
  { what: 'more pages than sections', outcome: 'refused', envelope: (given) => ({ ...given, TotalPages: 4 }) },
  { what: 'one more page, which is the same', outcome: 'refused', envelope: (given) => ({ ...given, TotalPages: 2 }) },
  { what: 'another page', outcome: 'refused', envelope: (given) => ({ ...given, CurrentPageIndex: 2 }) },
  { what: 'an error beside rows', outcome: 'refused', envelope: (given) => ({ ...given, ErrorMessage: 'No.' }) },
  { what: 'a row of another term', outcome: 'refused', row: set({ TermId: '2026SU' }) },
  { what: 'a row of a longer term', outcome: 'refused', row: set({ TermId: `${TERM}W` }) },
  { what: 'a row of another subject', outcome: 'refused', row: set({ Course: { SubjectCode: 'MATHS', Number: '1' } }) },
]

const TRUNCATED: Alteration[] = [
  ...CUT_SHORT,
  {
    what: 'within the figure of seats',
    outcome: 'refused',
    text: inRow((text) => text.slice(0, text.indexOf('"Available":') + '"Available":1'.length)),
  },
  {
    what: 'within the row, closed again',
    outcome: 'refused',
    text: inRow((text) => `${text.slice(0, text.indexOf('"Capacity"'))}"x":1}]}`),
  },
  {
    what: 'after two rows, closed again',
    outcome: 'refused',
    envelope: (given) => ({ ...given, Sections: rowsOf(given).slice(0, 2) }),
  },
  { what: 'before it begins, by a page', outcome: 'refused', text: () => '<!DOCTYPE html><html>Maintenance</html>' },
  { what: 'before it begins, by null', outcome: 'refused', text: () => 'null' },
]

const DUPLICATED: Alteration[] = [
  {
    what: 'the row, in the count',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, TotalItems: 4, Sections: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, not in the count',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, Sections: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, and then open',
    outcome: 'refused',
    envelope: (given) => ({ ...given, TotalItems: 4, Sections: [...rowsOf(given), ROWS.open] }),
  },
  {
    what: 'the row, and before that full',
    outcome: 'refused',
    envelope: (given) => ({ ...given, TotalItems: 4, Sections: [ROWS.full, ...rowsOf(given)] }),
  },
  {
    what: 'the row, and then with a figure that is none',
    outcome: 'refused',
    envelope: (given, altered) => ({
      ...given,
      TotalItems: 4,
      Sections: [...rowsOf(given), set({ Waitlisted: 'many' })(altered as Row)],
    }),
  },
  { what: 'the rows', outcome: 'refused', text: (text) => `${text.slice(0, -1)},"Sections":[]}` },
]

const GROUPS: [string, Alteration[]][] = [
  ['re-typed', RETYPED],
  ['missing', MISSING],
  ['contradictory', CONTRADICTORY],
  ['broken off', TRUNCATED],
  ['doubled', DUPLICATED],
]

/** The school's answer: the row between two unaltered ones. */
const answerOf = (honest: Row, change: Change): string =>
  writtenAnswer(honest, change, (altered) => ({
    ErrorMessage: '',
    Sections: [row({ Id: '10001' }), altered, row({ Id: '10003', ...FULL })],
    TotalItems: 3,
    TotalPages: 1,
    PageSize: 30,
    CurrentPageIndex: 1,
  }))

/** What a refresh, a poll and a second look read from an answer, for the row and the two beside it. */
async function read(body: string) {
  const Terms = [{ Item1: TERM, Item2: 'Fall 2026' }]
  const Subjects = [{ Code: 'MATH', Description: 'Mathematics' }]
  const open = () => {
    const { fetch } = fakeColleague({
      'Courses/PostSearchCriteria': () => new Response(body),
      'Courses/GetCatalogAdvancedSearch': () => Response.json({ Terms, Subjects }),
    })
    return openCounted(colleague, FAKE_COLLEAGUE, { fetch }).lane
  }
  const group = groupOf({ term: TERM, subject: 'MATH' })
  const keys = ['10001', KEY, '10003']
  const listed = await open().sections(group)
  const watched = keys.map((section_key) => ({ section_key, level: '1010' }))
  const [seats] = await collected(open().seats([{ group, watched }], new Map()))
  const look = await open().details?.(group, KEY)
  if (seats === undefined || look === undefined) throw new Error('the group has no answer')
  const refresh = listed.known ? { ...listed, value: listed.value.sections } : listed
  const poll = seats.answer.known ? { ...seats.answer, value: seats.answer.value.seen } : seats.answer
  return keys.map((key) => ({
    refresh: outcomeOf(refresh, key),
    poll: outcomeOf(poll, key),
    look: key !== KEY || !look.known ? 'refused' : judge(look.value).status,
  }))
}

const kindsOf = Object.keys(ROWS) as Kind[]

describe.each(GROUPS)('a Colleague answer, %s:', (_group, alterations) => {
  const cases = alterations.flatMap((alteration) => kindsOf.map((kind) => ({ ...alteration, alteration, kind })))

  it.each(cases)('$what, with a row that is $kind', async ({ alteration, kind }) => {
    const truth = TRUTH[kind]
    const wanted = alteration.but?.[kind] ?? alteration.outcome
    const expected = wanted === 'SAME' ? truth : wanted
    const [before, altered, after] = await read(answerOf(ROWS[kind], alteration))
    expect(altered?.refresh).toBe(expected)
    // A poll reads only up to the sections it looks for, so a wrong count may not matter to it.
    const harmless = expected === 'refused' ? ['refused', 'absent', 'unknown', truth] : [expected]
    expect(harmless).toContain(altered?.poll)
    expect([...harmless, 'refused']).toContain(altered?.look)
    for (const [other, its] of [
      [before, 'open'],
      [after, 'closed'],
    ] as const) {
      const allowed = [its, 'refused', 'absent', ...(expected === 'refused' ? ['unknown'] : [])]
      for (const seen of [other?.refresh, other?.poll]) expect(allowed).toContain(seen)
    }
  })
})

describe('a Colleague course, altered:', () => {
  type Course = { SectionsRetrieved: { TermsAndSections: { Sections: { Section: Row }[] }[]; Course: unknown } }
  const inSection = (alter: (row: Row) => Row) => (given: Course) => {
    for (const { Sections } of given.SectionsRetrieved.TermsAndSections) {
      for (const listed of Sections) listed.Section = alter(listed.Section)
    }
    return given
  }
  const inTerm = (alter: (sections: { Section: Row }[]) => unknown) => (given: Course) => ({
    SectionsRetrieved: {
      TermsAndSections: given.SectionsRetrieved.TermsAndSections.map((term) => ({
        ...term,
        Sections: alter(term.Sections),
      })),
    },
  })
  const reads = async (first: unknown, second: string): Promise<Outcome[]> => {
    const { fetch } = fakeColleague({
      'Courses/PostSearchCriteria': () => Response.json(first),
      'Courses/Sections': () => new Response(second),
    })
    const group = groupOf({ term: TERM, subject: 'MATH' })
    const open = () => openCounted(colleague, FAKE_COLLEAGUE, { fetch }).lane
    const listed = await open().sections(group)
    const watched = [{ section_key: '71117', level: '' }]
    const [seats] = await collected(open().seats([{ group, watched }], new Map()))
    if (seats === undefined) throw new Error('the group has no answer')
    return [
      outcomeOf(listed.known ? { ...listed, value: listed.value.sections } : listed, '71117'),
      outcomeOf(seats.answer.known ? { ...seats.answer, value: seats.answer.value.seen } : seats.answer, '71117'),
    ]
  }
  const list = JSON.parse(fixture('courses.json')) as Row
  const whole = fixture('course.json')

  it('unaltered, it is read correctly', async () => {
    expect(await reads(list, whole)).toEqual(['open', 'open'])
  })

  it.each<[string, (given: Course) => unknown, Outcome]>([
    ['without its sections', () => ({ SectionsRetrieved: { TermsAndSections: [], Course: null } }), 'refused'],
    ['of the older form', ({ SectionsRetrieved }) => SectionsRetrieved, 'open'],
    ['as a list', (given) => [given], 'refused'],
    ['with its sections as null', inTerm(() => null), 'refused'],
    ['with sections out of their wrapping', inTerm((sections) => sections.map(({ Section }) => Section)), 'refused'],
    ['with a section twice', inTerm((sections) => [...sections, ...sections]), 'refused'],
    ['with a section that has no id', inSection(without('Id')), 'refused'],
    ['with a section of another id', inSection(set({ Id: '5' })), 'refused'],
    ['with a section of another term', inSection(set({ TermId: '2026SU' })), 'refused'],
    ['with a section of no term', inSection(without('TermId')), 'refused'],
    ['with a section that hides its seats', inSection(set({ AreSeatCountsAvailable: false })), 'unknown'],
    ['with a section that says no status', inSection(without('AvailabilityStatus')), 'unknown'],
    ['with a section that has more seats than are left', inSection(set({ Available: 9 })), 'unknown'],
    ['with a section for which people wait', inSection(set({ Waitlisted: 9 })), 'waitlisted'],
    ['with a section that says it is full', inSection(set({ AvailabilityStatus: 'Closed' })), 'closed'],
  ])('%s', async (_what, alter, expected) => {
    const altered = JSON.stringify(alter(JSON.parse(whole) as Course))
    expect(await reads(list, altered)).toEqual([expected, expected])
  })

  it.each<[string, Row]>([
    ['of another subject', { Courses: [{ Id: '546', SubjectCode: 'ART', MatchingSectionIds: ['71117'] }] }],
    ['without their sections', { Courses: [{ Id: '546', SubjectCode: 'MATH' }] }],
    ['without an id', { Courses: [{ SubjectCode: 'MATH', MatchingSectionIds: ['71117'] }] }],
    ['with sections that have no id', { Courses: [{ Id: '546', SubjectCode: 'MATH', MatchingSectionIds: [null] }] }],
    ['that are none', { Courses: [5] }],
    ['fewer than they are', { TotalItems: 2 }],
    ['more than they are', { TotalItems: 0 }],
  ])('a list of courses %s', async (_what, fields) => {
    const [listed, polled] = await reads({ ...list, ...fields }, whole)
    expect(listed).toBe('refused')
    // A poll reads only up to the sections it looks for.
    expect(['refused', 'absent', 'open']).toContain(polled)
  })

  it.each([0, 0.1, 0.5, 0.9, 0.99])('cut off after %f', async (part) => {
    expect(await reads(list, whole.slice(0, Math.floor(whole.length * part)))).toEqual(['refused', 'refused'])
  })
})

describe('a Colleague row with', () => {
  const kinds = fc.constantFrom(...kindsOf)
  const statusOf = (altered: Row): Outcome => {
    const found = readRow(JSON.parse(JSON.stringify(altered)))
    return found === null ? 'refused' : judge(found.section).status
  }
  /** If people wait, free seats are theirs, which makes another status correct. */
  const truthsOf = (altered: Row, kind: Kind): Outcome[] => {
    const value = altered['Waitlisted']
    const waiting = typeof value === 'object' ? NaN : Number(value)
    return TRUTH[kind] === 'open' && waiting > 0 ? ['unknown', 'waitlisted'] : ['unknown', TRUTH[kind]]
  }

  it('one arbitrary figure is read correctly, or unknown', () => {
    const number = fc.oneof(fc.integer({ min: -60, max: 60 }), fc.constantFrom(0.5, 1e9, 1e15, -1e15))
    const value = fc.oneof(number, number.map(String), fc.jsonValue({ maxDepth: 1 }))
    fc.assert(
      fc.property(kinds, fc.constantFrom(...FIGURES), value, (kind, field, anything) => {
        const altered = { ...ROWS[kind], [field]: anything }
        expect(truthsOf(altered, kind)).toContain(statusOf(altered))
      }),
    )
  })

  it('one invalid flag or status is read correctly, or unknown', () => {
    const names = fc.constantFrom('AvailabilityStatus', 'HasUnlimitedSeats', 'AreSeatCountsAvailable', 'IsActive')
    const values = fc
      .jsonValue({ maxDepth: 1 })
      .filter(
        (value) => typeof value !== 'boolean' && !['Open', 'Waitlisted', 'Closed', 0, 1, 2].includes(value as string),
      )
    fc.assert(
      fc.property(kinds, names, values, (kind, name, anything) => {
        expect(['unknown', TRUTH[kind]]).toContain(statusOf({ ...ROWS[kind], [name]: anything }))
      }),
    )
  })

  it('missing fields is read correctly, unknown, or not at all', () => {
    fc.assert(
      fc.property(kinds, fc.subarray(Object.keys(ROWS.open)), (kind, lost) => {
        expect(['unknown', 'refused', TRUTH[kind]]).toContain(statusOf(without(...lost)(ROWS[kind])))
      }),
    )
  })

  it('an arbitrary value in its place throws nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...Object.keys(ROWS.open)), (anything, name) => {
        readRow(anything)
        readRow({ ...ROWS.open, [name]: anything })
      }),
    )
  })
})

it('Colleague answers are altered in at least 96 ways, and honest ones are read correctly', async () => {
  expect(GROUPS.flatMap(([, alterations]) => alterations).length).toBeGreaterThanOrEqual(96)
  for (const kind of kindsOf) {
    const [, section] = await read(answerOf(ROWS[kind], {}))
    expect(section).toEqual({ refresh: TRUTH[kind], poll: TRUTH[kind], look: TRUTH[kind] })
  }
})
