import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTerm } from '../../src/sources/banner9/lists.ts'
import { readRow } from '../../src/sources/banner9/rows.ts'
import { judge, whyUnknown } from '../../src/sources/judge.ts'
import { tidy } from '../../src/sources/text.ts'
import { type FakeRow, fakeRow } from './fake-banner.ts'

function section(fields: Partial<FakeRow>) {
  const row = readRow(fakeRow(1, fields))
  if (row === null) throw new Error('the row was not read')
  return row.section
}

const seatsOf = (fields: Partial<FakeRow>) => judge(section(fields))
const statusOf = (fields: Partial<FakeRow>) => seatsOf(fields).status

/** Consistent figures. */
function consistent(seats: number, shared: number | null, waiting: number, places: number): Partial<FakeRow> {
  return {
    maximumEnrollment: 40,
    enrollment: 40 - seats,
    seatsAvailable: seats,
    crossList: shared === null ? null : 'AB',
    crossListCapacity: shared === null ? null : 50,
    crossListCount: shared === null ? null : 50 - shared,
    crossListAvailable: shared,
    waitCapacity: waiting + places,
    waitCount: waiting,
    waitAvailable: places,
  }
}

const figure = fc.integer({ min: -20, max: 40 })

describe('the status of a Banner section', () => {
  it('is open only if there are seats, also in a shared room, and no one waits, whatever openSection says', () => {
    fc.assert(
      fc.property(
        figure,
        fc.option(figure),
        fc.nat(3),
        fc.nat(20),
        fc.boolean(),
        (seats, shared, waiting, places, openSection) => {
          const { status, seats_available } = seatsOf({ ...consistent(seats, shared, waiting, places), openSection })
          const isOpen = Math.min(seats, shared ?? Infinity) > 0 && waiting === 0
          expect(status === 'open').toBe(isOpen)
          if (!isOpen) expect(status).toBe(waiting > 0 || places > 0 ? 'waitlisted' : 'closed')
          expect(seats_available).toBe(seats)
        },
      ),
    )
  })

  it('is unknown without figures, and absent figures are null, never 0', () => {
    const none = {
      seatsAvailable: null,
      maximumEnrollment: null,
      enrollment: null,
      waitAvailable: null,
      waitCount: null,
    }
    expect(seatsOf(none)).toMatchObject({
      status: 'unknown',
      seats_available: null,
      capacity: null,
      waitlist_available: null,
    })
  })

  it('is derived from consistent figures', () => {
    const noList = { waitCapacity: 0, waitCount: 0, waitAvailable: 0 }
    expect(seatsOf({ seatsAvailable: undefined, maximumEnrollment: 20, enrollment: 22, ...noList })).toMatchObject({
      status: 'closed',
      seats_available: -2,
    })
    const waited = { waitCapacity: 20, waitCount: null, waitAvailable: 3 }
    expect(statusOf({ seatsAvailable: 5, enrollment: 25, ...waited })).toBe('waitlisted')
    expect(statusOf({ ...consistent(5, 3, 0, 0), crossListAvailable: null, crossListCount: 50 })).toBe('closed')
  })

  it('is unknown, with a reason, if a figure is not a whole number', () => {
    expect(whyUnknown(section({ waitAvailable: 'many' }))).toBe(
      'The figure waitAvailable is not a whole number ("many").',
    )
    expect(statusOf({ seatsAvailable: ' 20 ' })).toBe('open')
  })
})

const lecture = { beginTime: '0905', endTime: '1020', monday: true, wednesday: true }
const laboratory = { beginTime: '1300', endTime: '1550', friday: true }

function meetings(...times: object[]) {
  return times.map((meetingTime) => ({ faculty: [], meetingTime }))
}

describe('meeting times and teachers', () => {
  it('join several patterns in the order of the week, whatever order they come in', () => {
    const faculty = [{ displayName: 'Lovelace, Ada', primaryIndicator: true }]
    const expected = [{ name: 'Lovelace, Ada', days_times: 'MoWe 9:05AM - 10:20AM, Fr 1:00PM - 3:50PM' }]
    expect(section({ faculty, meetingsFaculty: meetings(lecture, laboratory) }).instruction_list).toEqual(expected)
    expect(section({ faculty, meetingsFaculty: meetings(laboratory, lecture) }).instruction_list).toEqual(expected)
  })

  it('are TBA if no one or no time is announced, and leave out final exams', () => {
    const tba = [{ name: 'TBA', days_times: 'TBA' }]
    expect(section({ faculty: [], meetingsFaculty: [] }).instruction_list).toEqual(tba)
    expect(section({ meetingsFaculty: meetings({ beginTime: null, endTime: null }) }).instruction_list).toEqual(tba)
    expect(section({ meetingsFaculty: meetings({ ...lecture, meetingType: 'FNEX' }) }).instruction_list).toEqual(tba)
  })

  it("list the primary teacher first, and give a meeting's own teacher only that meeting", () => {
    const faculty = [{ displayName: 'Babbage, C' }, { displayName: 'Lovelace, Ada', primaryIndicator: true }]
    const own = { faculty: [{ displayName: 'Menabrea &amp; Co' }], meetingTime: laboratory }
    expect(section({ faculty, meetingsFaculty: [...meetings(lecture), own] }).instruction_list).toEqual([
      { name: 'Lovelace, Ada', days_times: 'MoWe 9:05AM - 10:20AM' },
      { name: 'Babbage, C', days_times: 'MoWe 9:05AM - 10:20AM' },
      { name: 'Menabrea & Co', days_times: 'Fr 1:00PM - 3:50PM' },
    ])
  })

  it('handle noon, midnight and nonsense', () => {
    const at = (beginTime: string, endTime: string) =>
      section({ meetingsFaculty: meetings({ beginTime, endTime, tuesday: true }) }).instruction_list?.[0]?.days_times
    expect(at('1200', '1330')).toBe('Tu 12:00PM - 1:30PM')
    expect(at('0000', '0030')).toBe('Tu 12:00AM - 12:30AM')
    expect(at('9999', 'noon')).toBe('Tu')
    expect(at('', '1330')).toBe('Tu')
  })
})

describe('the place of a class', () => {
  it.each([
    ['Hall 210', '10', 'Hall 210 10'],
    ['Hall 210', '210', 'Hall 210'],
    ['Online', 'ONL', 'Online'],
    ['Gym', 'Gym', 'Gym'],
  ])('in "%s", room "%s", is %s', (buildingDescription, room, place) => {
    expect(section({ meetingsFaculty: meetings({ ...lecture, buildingDescription, room }) }).place).toBe(place)
  })
})

describe('a text missing from a row', () => {
  it('is empty, and never made up', () => {
    const bare = section({ courseTitle: undefined, sequenceNumber: null, faculty: undefined })
    expect(bare).toMatchObject({ title: '', topic: '', section: '', instruction_mode: '', instruction_list: null })
  })

  it('leaves the instructors unknown, unless an empty list says that there are none', () => {
    const lists = (faculty: unknown, meetingsFaculty: unknown) => section({ faculty, meetingsFaculty }).instruction_list
    expect(lists([], [])).toEqual([{ name: 'TBA', days_times: 'TBA' }])
    expect(lists(null, [])).toBeNull()
    expect(lists([], undefined)).toBeNull()
    expect(lists('Lovelace', [])).toBeNull()
    expect(lists([{ bannerId: '1' }], [])).toBeNull()
    expect(lists([{ displayName: '' }], [])).toEqual([{ name: 'TBA', days_times: 'TBA' }])
  })
})

describe('labels', () => {
  it('are decoded once or twice, trimmed, and otherwise unchanged', () => {
    expect(tidy('  CPSC CONCEPTS &amp; PROGRAM ')).toBe('CPSC CONCEPTS & PROGRAM')
    expect(tidy('Women&amp;#39;s  Studies')).toBe("Women's Studies")
    expect(tidy('R&D; AT&T &copy 2020 &eacute;')).toBe('R&D; AT&T &copy 2020 é')
    expect(tidy('\u00a0CIS\u00a02200&nbsp;-&nbsp;Intro\r\n ')).toBe('CIS 2200 - Intro')
    expect(tidy(null)).toBe('')
  })

  it('survive escaping whatever they contain', () => {
    const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${String(character.codePointAt(0))};`)
    const word = fc.stringMatching(/^[A-Za-zé<>"'/&]{1,12}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const text = words.join(' ')
        fc.pre(!/&[a-z]+;/i.test(text))
        expect(tidy(escape(text))).toBe(text)
        expect(tidy(escape(escape(text)))).toBe(text)
      }),
    )
  })
})

describe('a Banner term', () => {
  it.each([
    ['202610', 'Fall 2026', 2026, 'fall'],
    ['202710', '2026 Fall', 2026, 'fall'],
    ['202631', 'Fall Semester 2026 - College Station', 2026, 'fall'],
    ['201928', 'Winter 2019 Law Quarter (View Only)', 2019, 'winter'],
    ['201940', 'Summer 1 2019 Semester', 2019, 'summer'],
    ['201820', 'Winter 2018 (Jan-Apr)', 2018, 'winter'],
    ['202620', 'Spring 2025-2026', 2026, 'spring'],
    ['202610', 'Fall 2025-26', 2025, 'fall'],
    ['202608', "Fall '26", 2026, 'fall'],
    ['202509', 'Autumn Quarter 2025', 2025, 'fall'],
    ['202602', 'Semester 2026', 2026, 'spring'],
    ['202605', 'First Term', 2026, 'summer'],
    ['202701', 'J-Term 2027', 2027, 'winter'],
  ] as const)('%s "%s" is %i %s', (code, description, year, season) => {
    expect(readTerm(code, description)).toMatchObject({ code, year, season, name: description })
  })

  it('is not available if it is view-only, and is skipped if neither label nor code has a season', () => {
    expect(readTerm('201928', 'Winter 2019 Law Quarter (View Only)')?.is_available).toBe(false)
    expect(readTerm('201930', 'Spring 2019 Semester')?.is_available).toBe(true)
    expect(readTerm('202699', 'Continuing Education & Extension')).toBeNull()
    expect(readTerm('202630', 'Open Term')).toBeNull()
  })
})
