import type { Status } from '../../src/sources/source.ts'
import { resultsHtml } from './cuny-page.ts'
import { detailsHtml } from './banner8/pages.ts'
import { fixtureText } from './kind-fixtures.ts'
import { banner9Fixtures } from './banner9/fixtures.ts'

type Row = Record<string, unknown>
type Answers = Record<string, string>

/**
 * A way in which schools of a kind are known to say what is not so, and what has to come out for the section it is
 * about.
 */
export interface Lie {
  lie: string
  altered: Answers
  /** `refused`: nothing of the whole answer is believed. */
  expected: Status | 'refused'
  /** What a refresh makes of it, where that is more careful than a poll. */
  refresh?: Status
}

/** A text of JSON with one value changed in place. */
function change<Value>(text: string, alter: (value: Value) => unknown): string {
  const value = JSON.parse(text) as Value
  return JSON.stringify(alter(value) ?? value)
}

const lie = (what: string, altered: Answers, expected: Lie['expected']): Lie => ({ lie: what, altered, expected })

/** Lies about the first row of a list. */
function ofRow(file: string, list: string, text: string) {
  const rowsOf = (answer: Row) => answer[list] as Row[]
  return {
    row: (what: string, fields: Row, expected: Lie['expected']): Lie =>
      lie(
        what,
        { [file]: change<Row>(text, (answer) => void Object.assign(rowsOf(answer)[0] ?? {}, fields)) },
        expected,
      ),
    whole: (what: string, fields: Row, expected: Lie['expected']): Lie =>
      lie(what, { [file]: change<Row>(text, (answer) => ({ ...answer, ...fields })) }, expected),
    twin: (what: string, fields: Row, expected: Lie['expected'], counts: (rows: Row[]) => Row = () => ({})): Lie =>
      lie(
        what,
        {
          [file]: change<Row>(text, (answer) => {
            const rows = rowsOf(answer)
            const both = [...rows, { ...rows[0], ...fields }]
            return { ...answer, [list]: both, ...counts(both) }
          }),
        },
        expected,
      ),
  }
}

const banner9 = ofRow('sections', 'data', banner9Fixtures.files['sections'] ?? '')
const FULL = { enrollment: 30, seatsAvailable: 0 }
const LOST = { totalCount: 0, data: null, pathMode: null, searchResultsConfigs: null, ztcEncodedImage: null }

const colleague = ofRow('sections-in-words.json', 'Sections', fixtureText('colleague', 'sections-in-words.json'))
const fose = ofRow('search.json', 'results', fixtureText('fose', 'search.json'))
const hcx = ofRow('classes.json', 'classes', fixtureText('hcx', 'classes.json'))

/** The open section's row alone differs. */
function cuny(what: string, status: readonly [string, string], expected: Lie['expected'], options = {}): Lie {
  const courses = [
    {
      heading: 'DAN 101 - Dance',
      rows: [
        { number: '30001', status },
        { number: '30002', status: ['status_closed.gif', 'Closed'] as const },
      ],
    },
    { heading: 'DAN 2200H - Ballet', rows: [{ number: '30003', status: ['status_waiting.gif', 'Wait'] as const }] },
  ]
  return lie(what, { results: resultsHtml(courses, options) }, expected)
}
const IS_OPEN = ['status_open.gif', 'Open'] as const

const HEADING = 'Topics - Knots &amp; Links - 10001 - MATH 1010 - A01'
type Shown = Parameters<typeof detailsHtml>[0]
const banner8 = (what: string, shown: Partial<Shown>, expected: Lie['expected']): Lie =>
  lie(what, { 10001: detailsHtml({ heading: HEADING, seats: [30, 27, 3], waiting: [20, 0, 20], ...shown }) }, expected)
const banner8Page = (what: string, alter: (html: string) => string, expected: Lie['expected']): Lie =>
  lie(what, { 10001: alter(detailsHtml({ heading: HEADING, seats: [30, 27, 3], waiting: [20, 0, 20] })) }, expected)

const COURSES = fixtureText('rutgers', 'courses.json')
const OPEN_LIST = ['00028', '04507', '09058', '23603']
/** Refreshes and polls both ask both lists. */
const rutgers = (
  what: string,
  altered: { courses?: (courses: Row[]) => unknown; open?: unknown },
  expected: Lie['expected'],
) =>
  lie(
    what,
    {
      ...(altered.courses ? { 'courses.json': change<Row[]>(COURSES, altered.courses) } : {}),
      ...(altered.open === undefined ? {} : { 'openSections.json': JSON.stringify(altered.open) }),
    },
    expected,
  )

/** By kind; each is about the kind's open section, the first of its `truth`. */
export const LIES: Readonly<Record<string, readonly Lie[]>> = {
  banner9: [
    banner9.row('seats freed for people who wait', { waitCount: 2, waitAvailable: 3 }, 'waitlisted'),
    banner9.row(
      'a free seat in a full cross list',
      {
        crossList: 'AB',
        crossListCapacity: 20,
        crossListCount: 20,
        crossListAvailable: 0,
        waitCapacity: 0,
        waitAvailable: 0,
      },
      'closed',
    ),
    banner9.row(
      'a cross list without figures',
      { crossList: 'AB', crossListCapacity: 20, crossListCount: null, crossListAvailable: null },
      'unknown',
    ),
    banner9.row('seats that are reserved', { reservedSeatSummary: { reserved: 20 } }, 'unknown'),
    banner9.row('a flag "open" that counts the waitlist', { ...FULL, openSection: true }, 'waitlisted'),
    banner9.row(
      'a flag "open" without a seat or a list',
      { ...FULL, waitCapacity: 0, waitAvailable: 0, openSection: true },
      'closed',
    ),
    banner9.row('a flag "full" beside free seats', { openSection: false }, 'open'),
    banner9.row(
      'more enrolled than there are seats',
      { enrollment: 31, seatsAvailable: -1, waitCapacity: 0, waitAvailable: 0 },
      'closed',
    ),
    banner9.row('free seats that do not follow', { seatsAvailable: 21 }, 'unknown'),
    banner9.row('places on the list that do not follow', { waitAvailable: 4 }, 'unknown'),
    banner9.row('people waiting below zero', { waitCount: -1, waitAvailable: 6 }, 'unknown'),
    banner9.row('seats without number', { maximumEnrollment: 1e9, seatsAvailable: 1e9 - 10 }, 'unknown'),
    banner9.row('no figures', { seatsAvailable: null, maximumEnrollment: null, enrollment: null }, 'unknown'),
    banner9.row('a row of another term', { term: '202631' }, 'refused'),
    banner9.row('a row of another subject', { subject: 'ART' }, 'refused'),
    banner9.whole('a lost session that looks like success', LOST, 'refused'),
    banner9.whole('a search that found nothing', { totalCount: 0, data: [], sectionsFetchedCount: 0 }, 'refused'),
    banner9.twin('a section listed twice, open and full', FULL, 'unknown', ({ length }) => ({
      totalCount: length,
      sectionsFetchedCount: length,
    })),
  ],
  colleague: [
    colleague.row('seats freed for people who wait', { Waitlisted: 2 }, 'waitlisted'),
    colleague.row('open, because no other rule fits', { Available: 0, Enrolled: 30 }, 'unknown'),
    colleague.row('a number beside the word that it is full', { AvailabilityStatus: 'Closed' }, 'closed'),
    colleague.row('a number beside the word that there is a list', { AvailabilityStatus: 'Waitlisted' }, 'waitlisted'),
    colleague.row('a word of its own', { AvailabilityStatus: 'Available' }, 'unknown'),
    colleague.row('no word', { AvailabilityStatus: null }, 'unknown'),
    colleague.row(
      'no seats where they have no limit',
      { HasUnlimitedSeats: true, Available: 0, Capacity: null, Enrolled: 40 },
      'open',
    ),
    colleague.row('seats that are hidden', { AreSeatCountsAvailable: false, Available: null }, 'unknown'),
    colleague.row('no one known to wait or not', { Waitlisted: null }, 'unknown'),
    colleague.row('people waiting below zero', { Waitlisted: -1 }, 'unknown'),
    colleague.row('seats without number', { Available: 1e9, Capacity: 1e9, Enrolled: 0 }, 'unknown'),
    colleague.row('a section that is not active', { IsActive: false }, 'unknown'),
    colleague.row('a row of another term', { TermId: '2026SP' }, 'refused'),
    colleague.row('a row of another subject', { Course: { SubjectCode: 'ART', Number: '1010' } }, 'refused'),
    colleague.whole('an error that looks like success', { ErrorMessage: 'Something went wrong' }, 'refused'),
    colleague.whole('nothing where something is watched', { Sections: [], TotalItems: 0, TotalPages: 0 }, 'refused'),
    colleague.whole('no list at all', { Sections: null }, 'refused'),
    colleague.whole('fewer counted than came', { TotalItems: 2 }, 'refused'),
    colleague.twin(
      'a section listed twice, open and full',
      { AvailabilityStatus: 'Closed', Available: 0, Enrolled: 30 },
      'unknown',
      ({ length }) => ({ TotalItems: length }),
    ),
  ],
  cuny: [
    cuny('a picture whose text is always "Open"', ['status_closed.gif', 'Closed'], 'closed'),
    cuny('a title of its own', ['status_open.gif', 'Reserved'], 'unknown'),
    cuny('a picture that says otherwise than its title', ['status_closed.gif', 'Open'], 'unknown'),
    cuny('another school', IS_OPEN, 'refused', { school: 'Hunter College' }),
    cuny('a block of another school', IS_OPEN, 'refused', { blockSchool: 'Hunter College' }),
    cuny('another term', IS_OPEN, 'refused', { term: '2026 Spring Term' }),
    cuny('another subject', IS_OPEN, 'refused', { subject: 'Art' }),
    cuny('another career', IS_OPEN, 'refused', { career: 'Graduate' }),
    cuny('open classes only', IS_OPEN, 'refused', { openOnly: 'Yes' }),
    cuny('more sections counted than came', IS_OPEN, 'refused', { stated: 4 }),
    cuny('fewer sections counted than came', IS_OPEN, 'refused', { stated: 2 }),
    lie(
      'a session that is over',
      { results: '<html><form name=searchform><select name=term_value></select></form></html>' },
      'refused',
    ),
    lie(
      'nothing where something is watched',
      { results: '<html><body>The search returns no results</body></html>' },
      'refused',
    ),
  ],
  fose: [
    fose.row('a letter of its own', { stat: 'X' }, 'unknown'),
    fose.row('no letter, as catalogs without seats', { stat: undefined }, 'unknown'),
    fose.row('a second letter that says otherwise', { enrl_stat: 'C' }, 'unknown'),
    fose.row('a letter kept by a section that is canceled', { isCancelled: 'Y' }, 'closed'),
    fose.row('a mark that cannot be read', { isCancelled: 'perhaps' }, 'unknown'),
    fose.row('a row of another term', { srcdb: '202605' }, 'refused'),
    fose.row('a neighbor of another subject', { code: 'MATHX 111' }, 'refused'),
    fose.whole('another term', { srcdb: '202605' }, 'refused'),
    fose.whole('an unknown term', { fatal: 'Cannot open database', results: undefined, count: 0 }, 'refused'),
    fose.whole('nothing where something is watched', { results: [], count: 0 }, 'refused'),
    fose.whole('more sections counted than came', { count: 5 }, 'refused'),
    fose.twin('a section listed twice, open and full', { stat: 'F' }, 'unknown', ({ length }) => ({ count: length })),
    fose.twin('a section listed twice, once as canceled', { isCancelled: '1' }, 'unknown', ({ length }) => ({
      count: length,
    })),
  ],
  hcx: [
    hcx.row('seats freed for people who wait', { wait_tot: 2 }, 'waitlisted'),
    hcx.row('a number beside the letter that it is full', { enrl_stat: 'C', enrl_stat_descr: 'Closed' }, 'closed'),
    hcx.row('open without a seat', { enrollment_available: 0, enrollment_total: 30 }, 'unknown'),
    hcx.row('a letter of its own', { enrl_stat: 'Z', enrl_stat_descr: '' }, 'unknown'),
    hcx.row('a letter and a word that say two things', { enrl_stat_descr: 'Closed' }, 'unknown'),
    hcx.row('seats that are reserved', { reserve_caps: [{ capacity: 3 }] }, 'unknown'),
    hcx.row('a letter kept by a section that is canceled', { class_stat: 'X' }, 'closed'),
    hcx.row('a section that is stopped', { class_stat: 'S' }, 'unknown'),
    hcx.row('people waiting below zero', { wait_tot: -1 }, 'unknown'),
    hcx.row('seats without number', { class_capacity: 1e9, enrollment_available: 1e9 - 27 }, 'unknown'),
    hcx.row('free seats that do not follow', { enrollment_available: 4 }, 'unknown'),
    hcx.row("another college's row", { institution: 'EX020' }, 'refused'),
    hcx.row('a row that does not say whose it is', { institution: undefined, acad_org: undefined }, 'unknown'),
    hcx.row('a row of another term', { strm: '2264' }, 'refused'),
    hcx.row('a row of another subject', { subject: 'ART' }, 'refused'),
    hcx.whole('nothing where something is watched', { classes: [], pageCount: 0 }, 'refused'),
    hcx.whole('an error that looks like success', { error: 'No access', classes: undefined }, 'refused'),
    hcx.twin('a section listed twice, open and full', { enrl_stat: 'C', enrl_stat_descr: 'Closed' }, 'unknown'),
    hcx.twin('a section listed twice, once as canceled', { class_stat: 'X' }, 'unknown'),
    hcx.twin('a section listed twice, once with reserved seats', { reserve_caps: [{ capacity: 3 }] }, 'unknown'),
  ],
  rutgers: [
    rutgers('a flag "full" that is older than the list of what is open', { courses: flag(false, 'CLOSED') }, 'open'),
    {
      ...rutgers(
        'a list that lacks many that rows call open',
        { open: OPEN_LIST.filter((one) => one !== '04507') },
        'closed',
      ),
      refresh: 'unknown',
    },
    {
      ...rutgers(
        'rows of another campus',
        { courses: ([course]) => void Object.assign(course ?? {}, { mainCampus: 'NK' }) },
        'open',
      ),
      refresh: 'unknown',
    },
    rutgers('an empty list, as of a term that is not published', { open: [] }, 'refused'),
    rutgers('a list with a number that is none', { open: [...OPEN_LIST, 4507] }, 'refused'),
    rutgers('no list', { open: { error: 'down' } }, 'refused'),
  ],
  banner8: [
    banner8('seats freed for people who wait', { waiting: [20, 2, 18] }, 'waitlisted'),
    banner8('a free seat in a full cross list', { shared: [50, 50, 0], waiting: [0, 0, 0] }, 'closed'),
    banner8('more enrolled than there are seats', { seats: [30, 31, -1], waiting: [0, 0, 0] }, 'closed'),
    banner8('free seats that do not follow', { seats: [30, 27, 4] }, 'unknown'),
    banner8('people waiting below zero', { waiting: [20, -1, 21] }, 'unknown'),
    banner8('seats without number', { seats: [1e9, 0, 1e9] }, 'unknown'),
    banner8('another section', { heading: HEADING.replace('10001', '10009') }, 'unknown'),
    banner8('a section of another subject', { heading: HEADING.replace('MATH', 'ART') }, 'unknown'),
    banner8('another term', { term: '202630' }, 'unknown'),
    banner8Page(
      'a section that is gone',
      () => '<HTML><BODY>No detailed class information found</BODY></HTML>',
      'unknown',
    ),
    banner8Page('no table of seats', (html) => html.replace('seating numbers', 'other numbers'), 'unknown'),
    banner8Page('no row of seats', (html) => html.replace(/>Seats</, '>Places<'), 'unknown'),
    banner8Page('no row of the waitlist', (html) => html.replace(/>Waitlist Seats</, '>Others<'), 'unknown'),
    banner8Page(
      'a sign-in page',
      () => '<HTML><BODY><FORM ACTION="/PROD/twbkwbis.P_ValLogin"></FORM></BODY></HTML>',
      'unknown',
    ),
  ],
}

function flag(openStatus: boolean, openStatusText: string) {
  return ([course]: Row[]) =>
    void Object.assign(((course?.['sections'] ?? []) as Row[])[0] ?? {}, { openStatus, openStatusText })
}
