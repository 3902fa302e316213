import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fose } from '../../src/sources/fose/fose.ts'
import { readRow } from '../../src/sources/fose/rows.ts'
import { readDetails } from '../../src/sources/fose/details.ts'
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
import { FAKE_FOSE, fakeFose } from './fake-fose.ts'
import { collected, groupOf, openCounted } from './lanes.ts'

const TERM = '202610'
const KEY = '10002'
const GROUP = groupOf({ term: TERM, subject: 'MATH' })

function row(fields: Row): Row {
  return {
    key: '2',
    code: 'MATH 1010',
    title: 'Algebra',
    crn: KEY,
    no: '001',
    total: '3',
    schd: 'LEC',
    stat: 'A',
    isCancelled: '',
    meets: 'MW 7-8:15p',
    meetingTimes: '[{"meet_day":"0","start_time":"1900","end_time":"2015"}]',
    instr: 'E. Noether',
    start_date: '2026-08-26',
    srcdb: TERM,
    ...fields,
  }
}

/** Honest rows with undoubted statuses. */
const ROWS = {
  open: row({}),
  full: row({ stat: 'F' }),
  'full by another letter': row({ stat: 'C' }),
  waitlisted: row({ stat: 'W' }),
  'open by two letters': row({ enrl_stat: 'O' }),
  'full by two letters': row({ stat: 'F', enrl_stat: 'C' }),
} as const
type Kind = keyof typeof ROWS

const TRUTH: Readonly<Record<Kind, Status>> = {
  open: 'open',
  full: 'closed',
  'full by another letter': 'closed',
  waitlisted: 'waitlisted',
  'open by two letters': 'open',
  'full by two letters': 'closed',
}

/** An altered answer, and the result for each row. `SAME`: the row is read correctly. */
interface Alteration extends Change {
  what: string
  outcome: Outcome | 'SAME'
  /** The rows with another result. */
  but?: Partial<Record<Kind, Outcome | 'SAME'>>
}

const rowsOf = ({ results }: Row): unknown[] => (Array.isArray(results) ? results : [])
/** Alters the text from the row on. */
const inRow = from(`"crn":"${KEY}"`)
const kindsOf = Object.keys(ROWS) as Kind[]
const OPEN = kindsOf.filter((kind) => TRUTH[kind] === 'open')
const notOpen = Object.fromEntries(kindsOf.filter((kind) => !OPEN.includes(kind)).map((kind) => [kind, 'unknown']))

const RETYPED: Alteration[] = [
  { what: 'the number as a number', outcome: 'SAME', row: set({ crn: Number(KEY) }) },
  {
    what: 'the letter in small',
    outcome: 'unknown',
    row: (given) => set({ stat: String(given['stat']).toLowerCase() })(given),
  },
  { what: 'the letter as a word', outcome: 'unknown', row: set({ stat: 'Open' }) },
  { what: 'the letter as true', outcome: 'unknown', row: set({ stat: true }) },
  { what: 'the letter as a number', outcome: 'unknown', row: set({ stat: 1 }) },
  { what: 'the letter in a list', outcome: 'unknown', row: (given) => set({ stat: [given['stat']] })(given) },
  {
    what: 'the letter in an object',
    outcome: 'unknown',
    row: (given) => set({ stat: { value: given['stat'] } })(given),
  },
  {
    what: 'the letter with a blank',
    outcome: 'unknown',
    row: (given) => set({ stat: `${String(given['stat'])} ` })(given),
  },
  { what: 'another letter', outcome: 'unknown', row: set({ stat: 'X' }) },
  { what: 'an empty letter', outcome: 'unknown', row: set({ stat: '' }) },
  { what: 'the second letter as a list', outcome: 'SAME', row: set({ enrl_stat: ['C'] }) },
  { what: 'the second letter as a word', outcome: 'SAME', row: set({ enrl_stat: 'pending' }) },
  { what: 'canceled as false', outcome: 'SAME', row: set({ isCancelled: false }) },
  { what: 'canceled as 0', outcome: 'SAME', row: set({ isCancelled: 0 }) },
  { what: 'canceled as N', outcome: 'SAME', row: set({ isCancelled: 'N' }) },
  { what: 'canceled as a list', outcome: 'unknown', row: set({ isCancelled: [] }) },
  { what: 'canceled as a day', outcome: 'unknown', row: set({ isCancelled: '2026-08-01' }) },
  { what: 'canceled as an object', outcome: 'unknown', row: set({ isCancelled: {} }) },
  { what: 'the course as a number', outcome: 'refused', row: set({ code: 1010 }) },
  { what: 'the course as a list', outcome: 'refused', row: set({ code: ['MATH', '1010'] }) },
  { what: 'the course in one word', outcome: 'refused', row: set({ code: 'MATH1010' }) },
  { what: 'the number as a list', outcome: 'refused', row: set({ crn: [KEY] }) },
  { what: 'the number as true', outcome: 'refused', row: set({ crn: true }) },
  { what: 'the teachers as a list', outcome: 'SAME', row: set({ instr: ['E. Noether'] }) },
  { what: 'the times as a list', outcome: 'SAME', row: set({ meetingTimes: [{ meet_day: 0 }] }) },
  { what: 'the times broken off', outcome: 'SAME', row: set({ meetingTimes: '[{"meet_day":"0","start' }) },
  { what: 'the times as numbers', outcome: 'SAME', row: set({ meetingTimes: '[5, null, "x"]' }) },
  {
    what: 'the times at no day',
    outcome: 'SAME',
    row: set({ meetingTimes: '[{"meet_day":"9","start_time":"2575"}]' }),
  },
  { what: 'the day as a word', outcome: 'SAME', row: set({ start_date: 'soon' }) },
  { what: 'the row as null', outcome: 'refused', row: () => null },
  { what: 'the row as a list', outcome: 'refused', row: (given) => [given] },
  { what: 'the row as a string', outcome: 'refused', row: (given) => JSON.stringify(given) },
  { what: 'the rows as an object', outcome: 'refused', envelope: (given) => ({ ...given, results: { 0: given } }) },
  { what: 'the rows as a string', outcome: 'refused', envelope: (given) => ({ ...given, results: '[]' }) },
  { what: 'the count as a string', outcome: 'refused', envelope: set({ count: '3' }) },
  { what: 'the count as a fraction', outcome: 'refused', envelope: set({ count: 3.5 }) },
  { what: 'the count as true', outcome: 'refused', envelope: set({ count: true }) },
  { what: "the answer's term as a number", outcome: 'SAME', envelope: set({ srcdb: Number(TERM) }) },
  { what: "the answer's term as a list", outcome: 'refused', envelope: set({ srcdb: [TERM] }) },
]

const MISSING: Alteration[] = [
  { what: 'the letter', outcome: 'unknown', row: without('stat') },
  { what: 'the letter, as null', outcome: 'unknown', row: set({ stat: null }) },
  { what: 'the second letter', outcome: 'SAME', row: without('enrl_stat') },
  { what: 'the second letter, as null', outcome: 'SAME', row: set({ enrl_stat: null }) },
  { what: 'whether it is canceled', outcome: 'SAME', row: without('isCancelled') },
  { what: 'whether it is canceled, as null', outcome: 'SAME', row: set({ isCancelled: null }) },
  { what: 'the number', outcome: 'refused', row: without('crn') },
  { what: 'the number, as null', outcome: 'refused', row: set({ crn: null }) },
  { what: 'the number, as an empty word', outcome: 'refused', row: set({ crn: ' ' }) },
  { what: 'the course', outcome: 'refused', row: without('code') },
  { what: 'the number of the course', outcome: 'refused', row: set({ code: 'MATH' }) },
  { what: "the row's term", outcome: 'SAME', row: without('srcdb') },
  {
    what: 'texts',
    outcome: 'SAME',
    row: without('title', 'no', 'instr', 'meets', 'meetingTimes', 'schd', 'key', 'total'),
  },
  { what: 'all but number and course', outcome: 'unknown', row: ({ crn, code }) => ({ crn, code }) },
  {
    what: 'the row',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, results: rowsOf(given).filter((one) => one !== altered) }),
  },
  { what: 'the count', outcome: 'refused', envelope: without('count') },
  { what: 'the count, as null', outcome: 'refused', envelope: set({ count: null }) },
  { what: "the answer's term", outcome: 'refused', envelope: without('srcdb') },
  { what: 'the rows', outcome: 'refused', envelope: without('results') },
  { what: 'the rows, as null', outcome: 'refused', envelope: set({ results: null }) },
  { what: 'all rows', outcome: 'refused', envelope: set({ results: [] }) },
]

const CONTRADICTORY: Alteration[] = [
  {
    what: 'a second letter that says open',
    outcome: 'SAME',
    but: notOpen as Partial<Record<Kind, Outcome>>,
    row: set({ enrl_stat: 'O' }),
  },
  {
    what: 'a second letter that says waitlist',
    outcome: 'unknown',
    but: { waitlisted: 'SAME' },
    row: set({ enrl_stat: 'W' }),
  },
  {
    what: 'a second letter that says closed',
    outcome: 'unknown',
    but: { full: 'SAME', 'full by another letter': 'SAME', 'full by two letters': 'SAME' },
    row: set({ enrl_stat: 'C' }),
  },
  { what: 'canceled', outcome: 'closed', row: set({ isCancelled: 'Y' }) },
  { what: 'seats in a row', outcome: 'SAME', row: set({ seats: 'Seats Avail: 9', avail: 9, max_enroll: 0 }) },
  { what: 'no section of the course', outcome: 'SAME', row: set({ total: '0' }) },
  { what: 'a count that is too low', outcome: 'refused', envelope: set({ count: 2 }) },
  { what: 'a count that is too high', outcome: 'refused', envelope: set({ count: 4 }) },
  { what: 'a negative count', outcome: 'refused', envelope: set({ count: -1 }) },
  { what: 'a count of none', outcome: 'refused', envelope: set({ count: 0 }) },
  { what: 'a count of 1e15', outcome: 'refused', envelope: set({ count: 1e15 }) },
  { what: 'a refusal beside rows', outcome: 'refused', envelope: set({ fatal: 'cannot open database' }) },
  { what: 'an error beside rows', outcome: 'refused', envelope: set({ error: { code: 5 } }) },
  { what: 'an answer of another term', outcome: 'refused', envelope: set({ srcdb: '202620' }) },
  { what: 'an answer of every term', outcome: 'refused', envelope: set({ srcdb: '999999' }) },
  { what: 'a row of another term', outcome: 'refused', row: set({ srcdb: '202620' }) },
  { what: 'a row of a longer term', outcome: 'refused', row: set({ srcdb: `${TERM}1` }) },
  { what: 'a row of another subject', outcome: 'refused', row: set({ code: 'ART 1010' }) },
  { what: 'a row of a longer subject', outcome: 'refused', row: set({ code: 'MATHS 1010' }) },
  { what: 'a row of a subject of two words', outcome: 'refused', row: set({ code: 'APPLIED MATH 1010' }) },
]

const TRUNCATED: Alteration[] = [
  ...CUT_SHORT,
  { what: 'within the row', outcome: 'refused', text: inRow((text) => text.slice(0, text.indexOf('"stat"') + 9)) },
  {
    what: 'within the row, closed again',
    outcome: 'refused',
    text: inRow((text) => `${text.slice(0, text.indexOf('"stat"'))}"x":1}]}`),
  },
  {
    what: 'after two rows, closed again',
    outcome: 'refused',
    envelope: (given) => ({ ...given, results: rowsOf(given).slice(0, 2) }),
  },
  { what: 'before it begins, by a page', outcome: 'refused', text: () => '<!DOCTYPE html><html>Maintenance</html>' },
  { what: 'before it begins, by null', outcome: 'refused', text: () => 'null' },
  { what: 'before it begins, by a list', outcome: 'refused', text: () => '[]' },
  { what: 'before it begins, by an empty object', outcome: 'refused', text: () => '{}' },
]

const DUPLICATED: Alteration[] = [
  {
    what: 'the row, in the count',
    outcome: 'SAME',
    envelope: (given, altered) => ({ ...given, count: 4, results: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, not in the count',
    outcome: 'refused',
    envelope: (given, altered) => ({ ...given, results: [...rowsOf(given), altered] }),
  },
  {
    what: 'the row, and then with another letter',
    outcome: 'unknown',
    envelope: (given, altered) => {
      const other = (altered as Row)['stat'] === 'A' ? 'F' : 'A'
      return { ...given, count: 4, results: [...rowsOf(given), row({ stat: other })] }
    },
  },
  { what: 'the rows', outcome: 'refused', text: (text) => `${text.slice(0, -1)},"results":[]}` },
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
    srcdb: TERM,
    count: 3,
    results: [row({ crn: '10001' }), altered, row({ crn: '10003', stat: 'F' })],
  }))

/**
 * What a refresh, a poll of the subject and a poll of the term read from an answer, for the row and the two beside it.
 */
async function read(body: string) {
  const { fetch } = fakeFose({ search: () => new Response(body) })
  const open = () => openCounted(fose, FAKE_FOSE, { fetch }).lane
  const keys = ['10001', KEY, '10003']
  const watched = keys.map((section_key) => ({ section_key, level: '1010' }))
  const groups = [
    { group: GROUP, watched },
    { group: groupOf({ term: TERM, subject: 'ART' }), watched: [] },
  ]
  const listed = await open().sections(GROUP)
  const [one] = await collected(open().seats(groups.slice(0, 1), new Map()))
  const [whole] = await collected(open().seats(groups, new Map([[`/${TERM}`, 3]])))
  if (one === undefined || whole === undefined) throw new Error('the group has no answer')
  const refresh = listed.known ? { ...listed, value: listed.value.sections } : listed
  const seen = ({ answer }: typeof one) => (answer.known ? { ...answer, value: answer.value.seen } : answer)
  return keys.map((key) => ({
    refresh: outcomeOf(refresh, key),
    poll: outcomeOf(seen(one), key),
    term: outcomeOf(seen(whole), key),
  }))
}

describe.each(GROUPS)('a list of a CourseLeaf class search, %s:', (_group, alterations) => {
  const cases = alterations.flatMap((alteration) =>
    kindsOf.map((kind) => ({ what: alteration.what, alteration, kind })),
  )

  it.each(cases)('$what, with a row that is $kind', async ({ alteration, kind }) => {
    const truth = TRUTH[kind]
    const wanted = alteration.but?.[kind] ?? alteration.outcome
    const expected = wanted === 'SAME' ? truth : wanted
    const [before, altered, after] = await read(answerOf(ROWS[kind], alteration))
    expect(altered?.refresh).toBe(expected)
    // A poll returns the other rows of an answer in which one cannot be identified, and for a term the rows of all
    // subjects.
    expect(expected === 'refused' ? ['refused', 'absent'] : [expected]).toContain(altered?.poll)
    expect(expected === 'refused' ? ['refused', 'absent', truth] : [expected]).toContain(altered?.term)
    for (const [other, its] of [
      [before, 'open'],
      [after, 'closed'],
    ] as const) {
      for (const seen of [other?.refresh, other?.poll, other?.term]) expect([its, 'refused', 'absent']).toContain(seen)
    }
  })
})

const DETAILS = {
  crn: KEY,
  code: 'MATH 1010',
  srcdb: TERM,
  stat: 'A',
  enrl_stat_html: 'Open',
  seats:
    '<strong>Maximum Enrollment</strong>: 30 / <strong>Seats Avail</strong>: 5<br/><strong>Waitlist Total</strong>: 0',
}
const FULL = { stat: 'F', enrl_stat_html: 'Closed', seats: 'Maximum Enrollment: 30 / Seats Avail: 0' }

function look(details: unknown): Outcome {
  const bytes = new TextEncoder().encode(typeof details === 'string' ? details : JSON.stringify(details))
  const answer = readDetails({ url: '', contentType: '', bytes }, { term: TERM, subject: 'MATH', sectionKey: KEY })
  return answer.known ? judge(answer.value).status : 'refused'
}

describe('details of a CourseLeaf class search, altered:', () => {
  it.each<[string, unknown, Outcome, Outcome]>([
    ['nothing', {}, 'open', 'closed'],
    ['another letter', { stat: 'X' }, 'unknown', 'unknown'],
    ['no letter', { stat: undefined }, 'unknown', 'unknown'],
    ['no word', { enrl_stat_html: undefined }, 'open', 'closed'],
    ['another word', { enrl_stat_html: 'Pending' }, 'open', 'closed'],
    ['the word Open', { enrl_stat_html: 'Open' }, 'open', 'unknown'],
    ['the word Closed', { enrl_stat_html: '<b>Closed</b>' }, 'open', 'closed'],
    ['the word Wait List', { enrl_stat_html: 'Wait List' }, 'unknown', 'unknown'],
    ['no seats', { seats: undefined }, 'open', 'closed'],
    ['empty seats', { seats: '' }, 'open', 'closed'],
    ['seats as a number', { seats: 5 }, 'open', 'closed'],
    ['seats as a list', { seats: ['Seats Avail: 0'] }, 'open', 'closed'],
    ['0 free seats', { seats: 'Seats Avail: 0' }, 'unknown', 'closed'],
    ['fewer than 0 free seats', { seats: 'Seats Avail: -3' }, 'unknown', 'closed'],
    ['9 free seats', { seats: 'Seats Avail: 9' }, 'open', 'closed'],
    ['a word of free seats', { seats: 'Seats Avail: some' }, 'unknown', 'unknown'],
    ['half a free seat', { seats: 'Seats Avail: 0.5' }, 'unknown', 'unknown'],
    ['1e15 free seats', { seats: 'Seats Avail: 1000000000000000' }, 'unknown', 'unknown'],
    ['more free seats than seats', { seats: 'Maximum Enrollment: 3 / Seats Avail: 5' }, 'unknown', 'unknown'],
    ['fewer than 0 seats', { seats: 'Maximum Enrollment: -3 / Seats Avail: 0' }, 'unknown', 'unknown'],
    ['people waiting', { seats: 'Seats Avail: 5 Waitlist Total: 2' }, 'waitlisted', 'closed'],
    ['a word of people waiting', { seats: 'Seats Avail: 5 Waitlist Total: few' }, 'unknown', 'unknown'],
    ['people as a list', { enrollment: [30] }, 'unknown', 'unknown'],
    [
      'more people than the class has, and seats',
      { max_enroll: 30, enrollment: 35, seats: 'Seats Avail: 5' },
      'unknown',
      'unknown',
    ],
    ['canceled', { isCancelled: 'Y' }, 'closed', 'closed'],
    ['another section', { crn: '10001' }, 'refused', 'refused'],
    ['no section', { crn: null }, 'refused', 'refused'],
    ['another term', { srcdb: '999999' }, 'refused', 'refused'],
    ['no term', { srcdb: undefined }, 'refused', 'refused'],
    ['another subject', { code: 'ART 1010' }, 'refused', 'refused'],
    ['no course', { code: undefined }, 'refused', 'refused'],
    ['a refusal', { fatal: 'cannot open database' }, 'refused', 'refused'],
  ])('%s', (_what, fields, ofOpen, ofFull) => {
    expect([look({ ...DETAILS, ...(fields as Row) }), look({ ...DETAILS, ...FULL, ...(fields as Row) })]).toEqual([
      ofOpen,
      ofFull,
    ])
  })

  it.each([
    '',
    'null',
    '[]',
    '"A"',
    '{}',
    '<html></html>',
    JSON.stringify(DETAILS).slice(0, -1),
    JSON.stringify([DETAILS]),
  ])('%s is refused', (text) => expect(look(text)).toBe('refused'))
})

describe('a row of a CourseLeaf class search with', () => {
  const kinds = fc.constantFrom(...kindsOf)
  const statusOf = (altered: unknown): Outcome => {
    const found = readRow(JSON.parse(JSON.stringify(altered)))
    return found === null ? 'refused' : judge(found.section).status
  }

  it('an arbitrary letter or mark is read correctly, or unknown', () => {
    const values = fc.jsonValue({ maxDepth: 1 }).filter((value) => !['A', 'W', 'F', 'C'].includes(value as string))
    fc.assert(
      fc.property(kinds, fc.constantFrom('stat', 'enrl_stat', 'permreq'), values, (kind, name, anything) => {
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
        look(anything)
        look({ ...DETAILS, [name]: anything })
      }),
    )
  })
})

it('CourseLeaf answers are altered in at least 96 ways, and honest ones are read correctly', async () => {
  expect(GROUPS.flatMap(([, alterations]) => alterations).length).toBeGreaterThanOrEqual(96)
  for (const kind of kindsOf) {
    const [, section] = await read(answerOf(ROWS[kind], {}))
    expect(section).toEqual({ refresh: TRUTH[kind], poll: TRUTH[kind], term: TRUTH[kind] })
  }
})
