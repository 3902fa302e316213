import { describe, expect, it } from 'vitest'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { judge } from '../../src/sources/judge.ts'
import type { GroupSeats, WatchedGroup } from '../../src/sources/source.ts'
import { FAKE_BANNER, FakeBanner, type FakeBannerHabits, fakeRow, type FakeRow, TERM } from './fake-banner.ts'
import { believed, collected, groupOf, openCounted } from './lanes.ts'

function school(rows: FakeRow[], habits: FakeBannerHabits = {}) {
  const fake = new FakeBanner(rows, habits)
  return { fake, ...openCounted(banner9, FAKE_BANNER, { fetch: fake.fetch }) }
}

function rowsOf(subject: string, first: number, count: number, courseNumber = '1010'): FakeRow[] {
  return Array.from({ length: count }, (_, index) => fakeRow(first + index, { subject, courseNumber }))
}

const SUBJECTS = ['ARTS', 'BIOL', 'CHEM', 'MATH', 'PHYS']
const fiveSubjects = SUBJECTS.flatMap((subject, index) => rowsOf(subject, 10_000 + index * 100, 20))

function watch(subject: string, ...keys: number[]): WatchedGroup {
  const watched = keys.map((key) => ({ section_key: String(key), level: '1010' }))
  return { group: groupOf({ term: TERM, subject }), watched }
}

const everySubject = SUBJECTS.map((subject, index) => watch(subject, 10_000 + index * 100))

function seatsFound(answers: GroupSeats[]): string[] {
  return answers.flatMap(({ answer }) => believed(answer).seen.map(({ section_key }) => section_key)).toSorted()
}

const group = groupOf({ term: TERM, subject: 'MATH' })

describe('pages of a Banner search', () => {
  it('are all read, however short the school cuts them', async () => {
    const { lane } = school(rowsOf('MATH', 1, 73), { pageCap: 10 })
    const { sections } = believed(await lane.sections(group))
    expect(sections.map(({ number }) => Number(number))).toEqual(Array.from({ length: 73 }, (_, index) => index + 1))
    expect(sections).toHaveLength(73)
  })

  it('are read again if the count changes between them, without lost or repeated rows', async () => {
    const { lane, fake } = school(rowsOf('MATH', 1, 30), {
      pageCap: 10,
      beforeSearch: (count, moved) => {
        // The first row is removed, so that all others move up by one and row 11 would slip between two pages.
        if (count === 2) moved.rows = moved.rows.slice(1)
      },
    })
    const { sections } = believed(await lane.sections(group))
    expect(sections.map(({ number }) => number)).toEqual(fake.rows.map((row) => row.courseReferenceNumber))
  })

  it('are unknown if a row is on two pages or the count keeps changing', async () => {
    const restless = school(rowsOf('MATH', 1, 30), {
      pageCap: 10,
      beforeSearch: (count, moved) => {
        moved.rows = [fakeRow(1000 + count), ...moved.rows]
      },
    })
    expect(await restless.lane.sections(group)).toMatchObject({
      known: false,
      reason: 'incomplete',
      why: expect.stringMatching(/^The school counts \d+, then \d+, then \d+, and so on, sections;/),
    })
    const twice = school([...rowsOf('MATH', 1, 5), fakeRow(3)], { pageCap: 5 })
    expect(await twice.lane.sections(group)).toMatchObject({ known: false, reason: 'incomplete' })
  })

  it('with a row twice have the section once, unknown if the two disagree', async () => {
    const agreeing = school([...rowsOf('MATH', 1, 5), fakeRow(3)])
    const once = believed(await agreeing.lane.sections(group))
    expect(once.sections.map((section) => judge(section).status)).toEqual(Array(5).fill('open'))
    expect(once.sections).toHaveLength(5)
    const disagreeing = school([...rowsOf('MATH', 1, 5), fakeRow(3, { enrollment: 30, seatsAvailable: 0 })])
    const { sections } = believed(await disagreeing.lane.sections(group))
    expect(sections.map((section) => judge(section).status)).toEqual(['open', 'open', 'unknown', 'open', 'open'])
    const [seen] = await collected(disagreeing.lane.seats([watch('MATH', 3)], new Map()))
    expect(seen && believed(seen.answer).seen.map((section) => judge(section).status)).toEqual(['unknown'])
  })

  it('of a whole term return every section once, even if the count changes', async () => {
    const { lane, fake } = school(fiveSubjects, {
      pageCap: 30,
      beforeSearch: (count, moved) => {
        if (count === 2) moved.rows = moved.rows.slice(5)
      },
    })
    const pages = await collected(lane.wholeTerm?.(group))
    const numbers = pages.flatMap((page) => believed(page).sections.map(({ number }) => number))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).toEqual(expect.arrayContaining(fake.rows.map((row) => row.courseReferenceNumber)))
  })

  it('of a whole term are never confused with the rows of the last search', async () => {
    const { lane } = school(fiveSubjects)
    await lane.sections(group)
    const [page] = await collected(lane.wholeTerm?.(group))
    expect(page !== undefined && believed(page).sections).toHaveLength(100)
  })

  it('of a whole term are never confused with them even if the school does not reset', async () => {
    const { lane } = school(fiveSubjects, { isResetHonest: false })
    await lane.sections(group)
    const [page] = await collected(lane.wholeTerm?.(group))
    expect(page !== undefined && believed(page).sections).toHaveLength(100)
  })

  it('of a whole term resume where an earlier walk stopped; a cursor of another form starts over', async () => {
    const read = async (from: string | null) => {
      const pages = await collected(school(fiveSubjects, { pageCap: 30 }).lane.wholeTerm?.(group, from))
      return pages.map((page) => believed(page))
    }
    const whole = await read(null)
    expect(whole.map(({ next }) => next)).toEqual(['1/30/100', '2/60/100', '3/90/100', null])
    expect(await read('3/90/100')).toEqual(whole.slice(3))
    expect(await read('90/100')).toEqual(whole)
  })

  it('of a whole term are read again if rows had slipped before a walk was resumed', async () => {
    const rows = rowsOf('MATH', 1, 9)
    // Only while the second page is read is there another section, so that row 6 slips between two pages.
    for (const meanwhile of [rows, rows.slice(0, 8)]) {
      let searches = 0
      const moving: FakeBannerHabits = {
        pageCap: 3,
        beforeSearch: (_count, moved) => {
          moved.rows = ++searches === 2 ? [fakeRow(100), ...meanwhile] : rows
        },
      }
      const numbers: string[] = []
      let next: string | null = null
      for await (const page of school(rows, moving).lane.wholeTerm?.(group) ?? []) {
        numbers.push(...believed(page).sections.map(({ number }) => number))
        next = believed(page).next ?? null
        if (searches === 2) break
      }
      for (const page of await collected(school(rows, moving).lane.wholeTerm?.(group, next)))
        numbers.push(...believed(page).sections.map(({ number }) => number))
      expect(new Set(numbers)).toEqual(new Set(rows.map((row) => row.courseReferenceNumber)))
    }
  })

  it('of a whole term are read again if only its last page showed that rows had slipped', async () => {
    const rows = rowsOf('MATH', 1, 9)
    const slipped = school([...rows.slice(0, 6), ...rows.slice(5, 8)], { pageCap: 3 })
    let cursor: string | null = null
    for await (const page of slipped.lane.wholeTerm?.(group) ?? []) {
      const { sections, next } = believed(page)
      cursor = next ?? cursor
      if (sections.length < 3) break
    }
    const rest = await collected(school(rows, { pageCap: 3 }).lane.wholeTerm?.(group, cursor))
    expect(rest.flatMap((page) => believed(page).sections)).toHaveLength(rows.length)
  })

  it('of a whole term are unknown, not empty, at a school that finds nothing without a filter', async () => {
    const { lane } = school(fiveSubjects, { needsFilter: true })
    expect(await collected(lane.wholeTerm?.(group))).toMatchObject([{ known: false, reason: 'incomplete' }])
  })
})

describe('a Banner session', () => {
  it('that ends between two pages is renewed once, and no row is lost', async () => {
    const { lane } = school(rowsOf('MATH', 1, 30), {
      pageCap: 10,
      beforeSearch: (count, fake) => {
        if (count === 2) fake.sessions.clear()
      },
    })
    expect(believed(await lane.sections(group)).sections).toHaveLength(30)
  })

  it('that ends at every search is unknown after one renewal, never empty', async () => {
    const { lane, asked } = school(fiveSubjects, { beforeSearch: (_count, fake) => fake.sessions.clear() })
    expect(await lane.sections(group)).toMatchObject({ known: false, reason: 'session_lost' })
    expect(asked).toHaveLength(4)
  })

  it('that ended behind an empty list does not count as a search without results', async () => {
    for (const emptyPathMode of [null, 'registration']) {
      const { lane } = school([], { emptyPathMode })
      expect(await lane.sections(group)).toMatchObject({ known: false, reason: 'session_lost' })
    }
    expect(believed(await school([]).lane.sections(group))).toEqual({ sections: [] })
  })

  it('is reset between two searches, so that the second never gets the rows of the first', async () => {
    const { lane, asked } = school(fiveSubjects)
    expect(seatsFound(await collected(lane.seats(everySubject, new Map())))).toEqual(
      everySubject.map(({ watched }) => watched[0]?.section_key),
    )
    expect(asked.filter((url) => url.includes('resetDataForm'))).toHaveLength(4)
  })

  it('whose reset does nothing is detected by the rows, and replaced by one session per search', async () => {
    const { lane } = school(fiveSubjects, { isResetHonest: false })
    expect(seatsFound(await collected(lane.seats(everySubject, new Map())))).toHaveLength(5)
  })

  it('whose reset does nothing is also detected within one subject', async () => {
    const rows = [...rowsOf('MATH', 1, 5, '1010'), ...rowsOf('MATH', 51, 5, '2020')]
    const { lane } = school(rows, { isResetHonest: false })
    const of = (level: string, key: string): WatchedGroup => ({ group, watched: [{ section_key: key, level }] })
    const answers = await collected(lane.seats([of('1010', '1'), of('2020', '51')], new Map()))
    expect(seatsFound(answers)).toEqual(['1', '51'])
  })

  it('is bound again for another term', async () => {
    const { lane, asked } = school([fakeRow(1), fakeRow(2, { term: '202620' })])
    const other = groupOf({ term: '202620', subject: 'MATH' })
    expect(believed(await lane.sections(group)).sections).toMatchObject([{ number: '1' }])
    expect(believed(await lane.sections(other)).sections).toMatchObject([{ number: '2' }])
    expect(asked.filter((url) => url.includes('term/search'))).toHaveLength(2)
  })
})

describe('the lists of a Banner school', () => {
  const terms = Array.from({ length: 25 }, (_, index) => ({
    code: `${2002 + index}10`,
    description: `Fall ${2002 + index}`,
  }))
  const subjects = SUBJECTS.map((code) => ({ code, description: `${code} &amp; More` }))

  it('are read to their end, however short the school cuts their pages', async () => {
    const { lane } = school([], { terms, subjects, pageCap: 4 })
    expect(believed(await lane.termsAndSchools()).terms.map(({ code }) => code)).toEqual(terms.map(({ code }) => code))
    expect(believed(await lane.subjects(group)).subjects).toEqual(
      SUBJECTS.map((key) => ({ key, name: `${key} & More` })),
    )
  })

  it('without a subject are believed only for a term the school does not list', async () => {
    const { lane } = school([], { terms })
    expect(await lane.subjects(group)).toMatchObject({ known: false, reason: 'incomplete' })
    expect(believed(await lane.subjects({ ...group, term: '203010' })).subjects).toEqual([])
    expect((await school([]).lane.subjects(group)).known).toBe(false)
  })

  it('leave out a term without a season, with a warning', async () => {
    const odd = [...terms, { code: '202699', description: 'Continuing Education' }]
    const answer = await school([], { terms: odd }).lane.termsAndSchools()
    expect(believed(answer).terms).toHaveLength(25)
    expect(answer).toMatchObject({ warnings: [expect.stringContaining('202699')] })
    const why = 'The school lists no term whose year and season we can read.'
    expect(await school([], { terms: odd.slice(-1) }).lane.termsAndSchools()).toMatchObject({ known: false, why })
  })
})

describe('the seats of a Banner round', () => {
  const statuses = ({ answer }: GroupSeats) =>
    Object.fromEntries(believed(answer).seen.map((seen) => [seen.section_key, judge(seen).status]))

  it('are unknown for a section that may have slipped between two pages, which is not missing', async () => {
    const watched = [watch('MATH', 1, 11, 99_999), watch('ARTS', 40)]
    for (const sizes of [new Map<string, number>(), new Map([[`/${TERM}`, 1]])]) {
      const { lane } = school([...rowsOf('MATH', 1, 30), ...rowsOf('ARTS', 40, 1)], {
        pageCap: 10,
        // The first row is removed, so that row 11 is on neither page.
        beforeSearch: (count, moved) => {
          if (count === 2) moved.rows = moved.rows.slice(1)
        },
      })
      const [math] = (await collected(lane.seats(watched, sizes))).filter(({ index }) => index === 0)
      expect(math && statuses(math)).toEqual({ 1: 'open', 11: 'unknown', 99999: 'unknown' })
      expect(math && believed(math.answer).seen.at(-1)?.doubts).toEqual([expect.stringContaining('counts')])
    }
  })

  it('are unknown for a section with different rows on two pages', async () => {
    const { lane } = school(rowsOf('MATH', 1, 10), {
      pageCap: 5,
      beforeSearch: (count, moved) => {
        if (count !== 2) return
        const filled = fakeRow(1, { enrollment: 30, seatsAvailable: 0 })
        moved.rows = moved.rows.slice(1).toSpliced(5, 0, filled)
      },
    })
    const [answer] = await collected(lane.seats([watch('MATH', 1, 8)], new Map()))
    expect(answer && statuses(answer)).toEqual({ 1: 'unknown', 8: 'open' })
  })

  it('are dated from the request of the page with the first of them; missing sections from the first page', async () => {
    const fake = new FakeBanner(fiveSubjects, { pageCap: 40 })
    let now = 1000
    const sentAt: number[] = []
    const { lane } = openCounted(banner9, FAKE_BANNER, {
      now: () => ++now,
      fetch: (input, init) => {
        if (input.includes('searchResults/')) sentAt.push(++now)
        return fake.fetch(input, init)
      },
    })
    // ARTS begins on the first page, MATH on the second, PHYS on the third; the last section of CHEM is missing.
    const watched = [watch('ARTS', 10_000), watch('MATH', 10_300), watch('PHYS', 10_400), watch('CHEM', 10_200, 99_999)]
    const answers = await collected(lane.seats(watched, new Map([[`/${TERM}`, 100]])))
    expect(sentAt).toHaveLength(3)
    const pageOf = (index: number) => {
      const asked = answers.find((answer) => answer.index === index)?.asked_at ?? 0
      return sentAt.findIndex((at) => asked < at)
    }
    expect([0, 1, 2, 3].map(pageOf)).toEqual([0, 1, 2, 0])
  })
})

describe('requests of a Banner round', () => {
  const searches = (asked: string[]) => asked.filter((url) => url.includes('searchResults/')).length

  it('are at most two per search', async () => {
    const { lane, asked } = school(fiveSubjects)
    await collected(lane.seats(everySubject, new Map()))
    expect(searches(asked)).toBe(5)
    expect(asked.length).toBeLessThanOrEqual(2 * 5 + 1)
  })

  it('are one per page of the term if that is fewer', async () => {
    const { lane, asked } = school(fiveSubjects)
    const answers = await collected(lane.seats(everySubject, new Map([[`/${TERM}`, 100]])))
    expect(seatsFound(answers)).toHaveLength(5)
    expect(asked).toHaveLength(2)
  })

  it('are made by group if a school finds nothing without a filter, or cuts its pages short', async () => {
    for (const habits of [{ needsFilter: true }, { pageCap: 2 }]) {
      const { lane, asked } = school(fiveSubjects, habits)
      const answers = await collected(lane.seats(everySubject, new Map([[`/${TERM}`, 100]])))
      expect(seatsFound(answers)).toHaveLength(5)
      expect(asked.length).toBeLessThanOrEqual(2 * searches(asked) + 1)
      expect(searches(asked)).toBeLessThanOrEqual(6)
    }
  })

  it('include the institution code if one is set', async () => {
    const fake = new FakeBanner(fiveSubjects)
    const address = { ...FAKE_BANNER, settings: { mepCode: 'CSU' } }
    const { lane, asked } = openCounted(banner9, address, { fetch: fake.fetch })
    await collected(lane.seats(everySubject, new Map()))
    await lane.termsAndSchools()
    expect(asked.filter((url) => new URL(url).searchParams.get('mepCode') !== 'CSU')).toEqual([])
    expect(banner9.link(address, { school: '', term: TERM, section_key: '1' })).toContain('mepCode=CSU')
  })

  it('return a result for every index; a missing watched section has no seats, an empty group is unknown', async () => {
    const { lane } = school(fiveSubjects)
    const watched = [watch('MATH', 10_300, 99_999), watch('NONE', 5), watch('ARTS', 10_001)]
    const answers = await collected(lane.seats(watched, new Map()))
    expect(answers.map(({ index, answer }) => [index, answer.known]).toSorted()).toEqual([
      [0, true],
      [1, false],
      [2, true],
    ])
    expect(seatsFound(answers.filter(({ answer }) => answer.known))).toEqual(['10001', '10300'])
  })
})

describe('a watched section whose course the search does not find', () => {
  const seatsOf = async (rows: FakeRow[]) => collected(school(rows).lane.seats([watch('MATH', 1)], new Map()))

  it('is found under the number that its course has now', async () => {
    expect(seatsFound(await seatsOf(rowsOf('MATH', 1, 3, '2020')))).toEqual(['1'])
  })

  it('is seen without another request if the number only has a letter more', async () => {
    const { lane, asked } = school(rowsOf('MATH', 1, 3, '1010H'))
    expect(seatsFound(await collected(lane.seats([watch('MATH', 1)], new Map())))).toEqual(['1'])
    expect(asked.filter((url) => url.includes('searchResults/searchResults'))).toHaveLength(1)
  })

  it.each(['1010', '1010L'])('is found although its old number still has others: %s', async (others) => {
    expect(seatsFound(await seatsOf([...rowsOf('MATH', 1, 1, '2020'), ...rowsOf('MATH', 2, 3, others)]))).toEqual(['1'])
  })

  it('is not listed if its old number has others and the whole subject does not have it', async () => {
    const answers = await seatsOf([...rowsOf('MATH', 2, 3, '1010L'), ...rowsOf('MATH', 5, 3, '2020')])
    expect(answers).toMatchObject([{ answer: { known: true, value: { seen: [] } } }])
  })

  it('is in doubt if only the search of the subject fails, and the others of its course are seen', async () => {
    const { lane } = school([...rowsOf('MATH', 2, 3, '1010')], {
      beforeSearch: (count, fake) => {
        if (count > 1) fake.rows = rowsOf('HIST', 9, 1)
      },
    })
    const { group, watched } = watch('MATH', 1)
    const both = [...watched, { section_key: '2', level: '1010' }]
    const [seats] = await collected(lane.seats([{ group, watched: both }], new Map()))
    const seen = seats ? believed(seats.answer).seen : []
    expect(seen.map((one) => [one.section_key, judge(one).status])).toEqual([
      ['2', 'open'],
      ['1', 'unknown'],
    ])
  })

  it('costs no second search once it is known to be missing', async () => {
    const { lane, asked } = school(rowsOf('MATH', 2, 3, '1010'))
    const { group, watched } = watch('MATH', 1, 2)
    const missing = watched.map((one) => ({ ...one, missing_since: one.section_key === '1' ? 5 : null }))
    expect(seatsFound(await collected(lane.seats([{ group, watched: missing }], new Map())))).toEqual(['2'])
    expect(asked.filter((url) => url.includes('searchResults/searchResults'))).toHaveLength(1)
  })

  it('does not hide the others if no request is left for the second search', async () => {
    const { lane, refuseFrom, asked } = school(rowsOf('MATH', 2, 3, '1010'))
    refuseFrom(() => asked.some((url) => url.includes('searchResults/searchResults')))
    const [seats] = await collected(lane.seats([watch('MATH', 1, 2)], new Map()))
    const seen = seats ? believed(seats.answer).seen : []
    expect(seen.map((one) => [one.section_key, judge(one).status])).toEqual([
      ['2', 'open'],
      ['1', 'unknown'],
    ])
  })

  it('is not listed if its subject has only others, and unknown if it has none', async () => {
    expect(seatsFound(await seatsOf(rowsOf('MATH', 2, 3, '2020')))).toEqual([])
    expect(await seatsOf([])).toMatchObject([{ answer: { known: false, reason: 'incomplete' } }])
  })
})
