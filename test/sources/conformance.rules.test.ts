import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { judge } from '../../src/sources/judge.ts'
import { rutgers } from '../../src/sources/rutgers/rutgers.ts'
import { type Group, type SourceSection, type SourceTerm } from '../../src/sources/source.ts'
import { control, sectionsOf } from '../world/client.ts'
import { MODES } from '../world/faults.ts'
import type { SectionReport } from '../world/schools/find.ts'
import { type RunningWorld, startWorld } from '../world/server.ts'
import { believed, collected, openCounted } from './lanes.ts'
import { readGroups, readTerm, watchAll } from './schools.ts'
import { addressOf, reportedStatus, WORLD_SCHOOLS } from './world-schools.ts'

/** The faults that a school's answer may have; the others are slow, partly true, or a provider's. */
const FAULTS = MODES.filter((mode) => !['slow', 'stale_list', 'rate'].includes(mode) && !mode.startsWith('accept_then'))
/** How long a lane waits under a fault, in ms: only what never answers is not given long. */
const patience = (mode: string): number => (mode === 'timeout' ? 60 : 300)
/** The first school of each kind: what is the same at all of them is tested once. */
const FIRST_OF_KIND = new Set(
  WORLD_SCHOOLS.filter(({ source }, place) => WORLD_SCHOOLS.findIndex((other) => other.source === source) === place),
)
const TERM = '2026 Fall Term'

let world: RunningWorld

beforeAll(async () => {
  world = await startWorld({
    appUrl: 'http://localhost:1',
    twilioAccountSid: 'AC1',
    twilioAuthToken: 't',
    now: Date.parse('2026-11-21T12:00:00Z'),
    slowMs: 200,
  })
})
afterAll(() => world.close())
afterEach(() => world.world.faults.clear())

describe.each(WORLD_SCHOOLS)('$source.label at $schoolName', (school) => {
  const open = (timeoutMs = 5000) => openCounted(school.source, addressOf(school, world.url), { timeout_ms: timeoutMs })
  let term: SourceTerm
  let groups: Group[]
  let sections: SourceSection[]
  /** The group of each section. */
  let homes: Map<string, Group>
  let reports: SectionReport[]

  beforeAll(async () => {
    const { lane } = open()
    term = await readTerm(lane, TERM)
    groups = await readGroups(lane, school, term)
    sections = []
    homes = new Map()
    for (const group of groups) {
      const answer = believed(await lane.sections(group))
      sections.push(...answer.sections)
      for (const { section_key } of answer.sections) homes.set(section_key, group)
    }
    const filter = { source: school.sourceName, school: school.schoolName, term: TERM }
    reports = await sectionsOf(world.url, filter)
  })

  /** Not in a shared room, whose figures the details of one section lack, and in the regular session. */
  const isPlain = ({ section: number }: SectionReport): boolean =>
    world.world.catalog.sections.some(
      (section) =>
        section.school.name === school.schoolName &&
        section.term.name === TERM &&
        section.number === number &&
        section.crossList === null &&
        section.session === '1',
    )

  const byNumber = <Row>(rows: readonly Row[], key: (row: Row) => string): Row[] =>
    rows.toSorted((one, other) => key(one).localeCompare(key(other)))

  /** Calls that request the sections of each course of the term. */
  const courseCalls = () =>
    school.hasCourseCalls ? new Set(sections.map(({ code, level }) => `${code} ${level}`)).size : 0

  const hasStatusInLists = school.source.reads.status !== 'section'

  it('returns exactly the sections of a term, each correctly', () => {
    expect(reports.length).toBeGreaterThan(50)
    const read = byNumber(sections.map(judge), ({ section_key }) => section_key).map((seats) => ({
      section: seats.section_key,
      status: seats.status,
      ...(school.hasFigures ? { available: seats.seats_available, capacity: seats.capacity } : {}),
    }))
    const there = byNumber(reports, ({ section }) => section).map((report) => ({
      section: report.section,
      status: hasStatusInLists ? reportedStatus(school, report) : 'unknown',
      ...(school.hasFigures ? { available: report.available, capacity: report.capacity } : {}),
    }))
    expect(read).toEqual(there)
  })

  it('returns course, title, teachers, times and mode, decoded', () => {
    const catalog = world.world.catalog.sections.filter(
      (section) => section.school.name === school.schoolName && section.term.name === TERM,
    )
    const byKey = new Map(sections.map((section) => [section.section_key, section]))
    for (const { number, code, course, instructors, meetings } of catalog) {
      const section = byKey.get(number)
      expect(section).toMatchObject({ level: course.level, section: code })
      // A subject may exist in several schools of a university, whose numbers precede it.
      expect(section?.code.replace(/^\d\d:/, '')).toBe(course.subject.code)
      // Colleague pads the number that people know, and uses another for its calls.
      expect(section?.number.replace(/^0+/, '')).toBe(number.replace(/^0+/, ''))
      const shown = JSON.stringify(section)
      expect(shown).not.toMatch(/&(?:amp|lt|gt|quot|nbsp|#\d+);|\u00a0/)
      const names = section?.instruction_list?.map(({ name }) => name).join(';') ?? ''
      if (school.lacks?.includes('teachers')) expect(['', 'TBA']).toContain(names)
      else for (const { last } of instructors) expect(names.toLowerCase()).toContain(last.toLowerCase())
      if (!school.lacks?.includes('times') && meetings.some(({ begins }) => begins !== null)) {
        expect(section?.instruction_list?.[0]?.days_times).toMatch(/[A-Z][a-z] \d{1,2}:\d\d[AP]M - \d{1,2}:\d\d[AP]M/)
      }
    }
    const modes = new Set(sections.map(({ instruction_mode }) => instruction_mode))
    if (!school.lacks?.includes('modes')) expect(modes.size).toBeGreaterThan(1)
  })

  it('returns the seats of all watched sections within its requests per round', async () => {
    const { lane, asked } = open()
    const levels = new Map(sections.map(({ section_key, level }) => [section_key, level]))
    const watched = watchAll(groups, reports, homes, levels)
    const answers = await collected(lane.seats(watched, new Map()))
    expect(answers.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(watched.map((_, index) => index))
    const seats = answers.flatMap(({ answer }) => believed(answer).seen.map(judge))
    expect(new Map(seats.map(({ section_key, status }) => [section_key, status]))).toEqual(
      new Map(reports.map((report) => [report.section, reportedStatus(school, report)])),
    )
    const searches = asked.filter((url) => url.includes('searchResults/searchResults')).length
    const isBanner = school.source.kind === 'banner9'
    const sizes = Map.groupBy(homes.values(), (group) => group)
    const pages = watched.map(({ group }) => Math.max(1, Math.ceil((sizes.get(group) ?? []).length / school.pageSize)))
    const needed = pages.reduce((sum, count) => sum + count, school.firstRequests + courseCalls())
    expect(asked.length).toBeLessThanOrEqual(isBanner ? 2 * searches + 1 : needed)
    if (isBanner) expect(searches).toBe(watched.length)
  })

  it('sees a watched section that now has the number of another course', async () => {
    const [report] = reports
    const home = report && homes.get(report.section)
    const others = sections.filter(
      ({ section_key, subject }) => section_key !== report?.section && subject === home?.subject,
    )
    if (report === undefined) throw new Error('no section')
    const levels = new Map([[report.section, others[0]?.level ?? '999']])
    const answers = await collected(open().lane.seats(watchAll(groups, [report], homes, levels), new Map()))
    expect(answers.flatMap(({ answer }) => believed(answer).seen.map(judge))).toMatchObject([
      { section_key: report.section, status: reportedStatus(school, report) },
    ])
  })

  it('sees a seat open in the next round of the same lane', async () => {
    const { lane } = open()
    // One that is exactly full, because that is how it is restored.
    const report = reports.find(({ status, available }) => status !== 'open' && available === 0)
    if (report === undefined) throw new Error('no section is full')
    const watched = watchAll(groups, [report], homes)
    const look = async () => {
      const answers = await collected(lane.seats(watched, new Map()))
      return answers.flatMap(({ answer }) => believed(answer).seen.map((seen) => judge(seen).status))
    }
    expect(await look()).toEqual([reportedStatus(school, report)])
    const { source, school: name, term: termName, section } = report
    await control(world.url, 'POST', 'sections', { source, school: name, term: termName, section, status: 'open' })
    expect(await look()).toEqual(['open'])
    await control(world.url, 'POST', 'sections', {
      source,
      school: name,
      term: termName,
      section,
      status: report.status,
    })
  })

  it('dates each group from before the first request of its answer', async () => {
    let now = 1000
    const sentAt: number[] = []
    const { lane } = openCounted(school.source, addressOf(school, world.url), {
      now: () => ++now,
      fetch: (input, init) => {
        sentAt.push(++now)
        return fetch(input, init)
      },
    })
    const watched = watchAll(groups.slice(0, 3), reports, homes)
    let former = 0
    let formerAskedAt = 0
    for await (const { asked_at } of lane.seats(watched, new Map())) {
      const [firstSent] = sentAt.splice(0)
      // An answer may serve several groups.
      if (firstSent === undefined) expect(asked_at).toBe(formerAskedAt)
      else {
        expect(asked_at).toBeLessThan(firstSent)
        expect(asked_at).toBeGreaterThan(former)
        former = firstSent
      }
      formerAskedAt = asked_at
    }
    expect(former).toBeGreaterThan(0)
  })

  /** If there is only a list, no section can be requested separately. */
  const hasDetails = school.source !== rutgers

  it('returns the same details for one section as in a list', async () => {
    const { lane } = open()
    expect(lane.details === undefined).toBe(!hasDetails)
    if (!hasDetails) return
    const kinds = ['open', 'waitlisted', 'closed'].flatMap((status) =>
      reports.filter((report) => report.status === status && isPlain(report)).slice(0, 3),
    )
    expect(kinds).toHaveLength(9)
    for (const report of kinds) {
      const group = homes.get(report.section)
      if (group === undefined || lane.details === undefined) throw new Error('there is no such call')
      const seen = believed(await lane.details(group, report.section))
      const { status, seats_available, capacity } = judge(seen)
      const isWaitlistHidden = school.hasNoWaitlistInDetails === true && report.status === 'waitlisted'
      const available = school.detailsStopAtZero === true ? Math.max(0, report.available) : report.available
      expect([seen.section_key, status, seats_available, capacity]).toEqual([
        report.section,
        isWaitlistHidden ? 'closed' : report.status,
        available,
        report.capacity,
      ])
    }
  })

  it('returns nothing for details of a section that does not exist', async () => {
    if (!hasDetails) return
    const { lane, asked } = open()
    const [group] = groups
    if (group === undefined || lane.details === undefined) throw new Error('there is no such call')
    const answer = await lane.details(group, '99999')
    if (answer.known) expect(judge(answer.value).status).toBe('unknown')
    expect(asked.length).toBeLessThanOrEqual(Math.max(2, school.firstRequests + 1))
  })

  it('requests the details of each further section with one request', async () => {
    if (!hasDetails) return
    const { lane, asked } = open()
    const [group] = groups
    const keys = reports.filter(({ section }) => homes.get(section) === group).map(({ section }) => section)
    if (group === undefined || lane.details === undefined) throw new Error('there is no such call')
    for (const key of keys.slice(0, 3)) await lane.details(group, key)
    expect(asked).toHaveLength(school.firstRequests + (school.hasCourseCalls ? 6 : 3))
  })

  it('returns the truth in details while its list is stale', async () => {
    // Such a list has no seats that could be stale.
    if (school.hasCourseCalls || !hasStatusInLists) return
    const report = reports.find((each) => each.status === 'open' && isPlain(each))
    const group = homes.get(report?.section ?? '')
    if (report === undefined || group === undefined) throw new Error('no section is open')
    const { source, school: name, term: termName, section } = report
    await control(world.url, 'POST', 'faults', { service: source, mode: 'stale_list' })
    await control(world.url, 'POST', 'sections', { source, school: name, term: termName, section, status: 'closed' })
    const { lane } = open()
    const [listed] = await collected(lane.seats(watchAll(groups, [report], homes), new Map()))
    const alone = await lane.details?.(group, section)
    await control(world.url, 'POST', 'sections', { source, school: name, term: termName, section, status: 'open' })
    expect(listed && believed(listed.answer).seen.map((seen) => judge(seen).status)).toEqual(['open'])
    if (hasDetails) expect(alone && judge(believed(alone)).status).toBe('closed')
  })

  it('reads through an expired session', async () => {
    const { lane } = open()
    const [first, second] = groups
    if (first === undefined || second === undefined) throw new Error('the school has no two groups')
    believed(await lane.sections(first))
    for (const end of world.world.endSessions) end()
    const after = believed(await lane.sections(second)).sections.map(({ number }) => number)
    const there = believed(await open().lane.sections(second)).sections.map(({ number }) => number)
    expect(after).toEqual(there)
  })

  it.each(FAULTS)('under %s returns no details', async (mode) => {
    if (!hasDetails) return
    const { lane } = open(patience(mode))
    const report = reports.find((each) => each.status === 'open' && isPlain(each))
    const group = homes.get(report?.section ?? '')
    if (report === undefined || group === undefined || lane.details === undefined) throw new Error('no section is open')
    world.world.faults.set({ service: school.sourceName, mode, times: null })
    const answer = await lane.details(group, report.section)
    if (answer.known) expect(judge(answer.value).status).toBe('unknown')
  })

  it.each(FAULTS)('under %s is unknown, and no section is closed by it', async (mode) => {
    const { lane } = open(patience(mode))
    const watched = watchAll(groups, reports.slice(0, 40), homes)
    world.world.faults.set({ service: school.sourceName, mode, times: null })
    const answers = await collected(lane.seats(watched, new Map([[`${school.school}/${term.code}`, 1000]])))
    expect(answers).toHaveLength(watched.length)
    for (const { answer } of answers) expect(answer).toMatchObject({ known: false })
    expect((await lane.termsAndSchools()).known).toBe(false)
    const [group] = groups
    if (group !== undefined) {
      expect((await lane.subjects(group)).known).toBe(false)
      const answer = await lane.sections(group)
      // The site's "no results" is all that an adapter can see of an emptied site.
      if (answer.known) expect([mode, answer.value.sections]).toEqual(['empty', []])
    }
  })

  // How a request times out is the same everywhere, and what follows is what follows a reset.
  const faultsOnce = FIRST_OF_KIND.has(school) ? FAULTS : FAULTS.filter((mode) => mode !== 'timeout')
  it.each(faultsOnce)('that fails once with %s is understood again in the same lane', async (mode) => {
    // Only a call that never answers is given up early: a busy machine may be slow to answer well.
    const { lane } = open(mode === 'timeout' ? 1000 : 5000)
    const [group] = groups
    if (group === undefined) throw new Error('the school has no group')
    world.world.faults.set({ service: school.sourceName, mode, times: 1 })
    const hurt = await lane.sections(group)
    if (hurt.known) expect(hurt.value.sections.length).toBeGreaterThan(0)
    world.world.faults.clear()
    // After "too many requests" it makes no request until the pause is over; another conversation may.
    const answer = await (mode === 'http_429' ? open() : { lane }).lane.sections(group)
    expect(believed(answer).sections.length).toBeGreaterThan(0)
  })

  it.each(FIRST_OF_KIND.has(school) ? (['slow'] as const) : [])('waits for a %s answer', async (mode) => {
    const { lane } = open()
    world.world.faults.set({ service: school.sourceName, mode, times: 1 })
    expect((await lane.termsAndSchools()).known).toBe(true)
  })

  it('returns a whole term page by page, or says that it cannot', async () => {
    const { lane, asked } = open()
    if (lane.wholeTerm === undefined) {
      expect(school.canReadWholeTerm).toBe(false)
      return
    }
    const [group] = groups
    if (group === undefined) throw new Error('the school has no group')
    const pages = await collected(lane.wholeTerm(group))
    if (!school.canReadWholeTerm) {
      expect(pages.map(({ known }) => known)).toEqual([false])
      return
    }
    const numbers = pages.flatMap((page) => believed(page).sections.map(({ section_key }) => section_key))
    expect(numbers.toSorted()).toEqual(reports.map(({ section }) => section).toSorted())
    const rows = school.hasCourseCalls ? courseCalls() : numbers.length
    const needed = Math.max(1, school.firstRequests) + Math.ceil(rows / school.pageSize) + courseCalls()
    expect(asked).toHaveLength(needed + (school.endsWithEmptyPage === true ? 1 : 0))
  })
})
