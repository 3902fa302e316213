import { describe, expect, it } from 'vitest'
import { banner9, campusFilter } from '../../../src/sources/banner9/banner9.ts'
import { judge } from '../../../src/sources/judge.ts'
import { FAKE_BANNER, FakeBanner, fakeRow, TERM } from '../fake-banner.ts'
import { believed, collected, groupOf, openCounted } from '../lanes.ts'

const GROUP = groupOf({ term: TERM, subject: 'MATH' })

function open(settings: Record<string, string>, campuses: (string | undefined)[]) {
  const school = new FakeBanner(
    campuses.map((campusDescription, index) => fakeRow(10001 + index, { campusDescription })),
    { terms: [{ code: TERM, description: 'Fall 2026 (View Only)' }], pageCap: 2 },
  )
  return openCounted(banner9, { ...FAKE_BANNER, settings }, { fetch: school.fetch })
}

describe('one campus of a Banner site', () => {
  it.each([
    [{}, 'anything', true],
    [{ campus: 'BC' }, 'BC', true],
    [{ campus: 'BC' }, 'BC Online', false],
    [{ campus: 'BC', campus_match: 'exact' }, 'BC', true],
    [{ campus: 'BC', campus_match: 'first word' }, 'BC Online', true],
    [{ campus: 'BC', campus_match: 'first word' }, 'BCC Online', false],
    [{ campus: 'FRONTIER', campus_match: 'first word' }, 'FRONTIER-Fairfield', true],
    [{ campus: 'CC', campus_match: 'first word' }, 'cc', false],
    [{ campus: 'University of Hawaii at Hilo' }, 'University of Hawaii at Manoa', false],
  ])('by %j matches "%s": %s', (settings, campus, isOurs) => {
    expect(campusFilter({ url: '', settings })?.(campus) ?? true).toBe(isOurs)
  })

  it('has only its own sections in a group, a whole term and a poll, over any pages', async () => {
    const campuses = ['Hilo', 'Manoa', 'Hilo', undefined, 'Manoa', 'Hilo']
    const { lane } = open({ campus: 'Hilo' }, campuses)
    const own = ['10001', '10003', '10006']
    const listed = await lane.sections(GROUP)
    expect(believed(listed).sections.map(({ section_key }) => section_key)).toEqual(own)
    expect(listed).toMatchObject({ warnings: ['Rows without a campus are left out: 1.'] })
    const pages = await collected(lane.wholeTerm?.(GROUP))
    expect(pages.flatMap((page) => believed(page).sections.map(({ section_key }) => section_key))).toEqual(own)
    const watched = ['10001', '10002', '10003', '10004'].map((section_key) => ({ section_key, level: '1010' }))
    const [polled] = await collected(lane.seats([{ group: GROUP, watched }], new Map()))
    expect(polled && believed(polled.answer).seen.map((seen) => [seen.section_key, judge(seen).status])).toEqual([
      ['10001', 'open'],
      ['10003', 'open'],
    ])
  })
})

describe('a term marked "View Only"', () => {
  it.each([
    [{}, false],
    [{ view_only_terms: 'offered' }, true],
  ])('is offered by the settings %j: %s', async (settings, isAvailable) => {
    const { terms } = believed(await open(settings, ['Main']).lane.termsAndSchools())
    expect(terms).toMatchObject([{ code: TERM, is_available: isAvailable }])
  })
})

describe('a whole term', () => {
  it('resumes where an earlier conversation stopped, and is compared with the total count', async () => {
    const campuses = Array.from({ length: 7 }, () => 'Main')
    const cursors: (string | null)[] = []
    let seen: string[] = []
    for await (const page of open({}, campuses).lane.wholeTerm?.(GROUP) ?? []) {
      const { sections, next = null } = believed(page)
      seen.push(...sections.map(({ section_key }) => section_key))
      cursors.push(next)
    }
    expect(seen).toHaveLength(7)
    expect(cursors.at(-1)).toBeNull()
    for (const [index, cursor] of cursors.entries()) {
      const { lane, asked } = open({}, campuses)
      const rest = await collected(lane.wholeTerm?.(GROUP, cursor))
      seen = rest.flatMap((page) => believed(page).sections.map(({ section_key }) => section_key))
      expect(seen).toEqual(cursor === null ? expect.arrayContaining(seen) : seen.toSorted())
      expect(seen).toHaveLength(cursor === null ? 7 : 7 - 2 * (index + 1))
      expect(asked.filter((url) => url.includes('searchResults'))).toHaveLength(cursor === null ? 4 : 3 - index)
    }
    // One section has been removed in the meantime: the walk starts over.
    const { lane, asked } = open({}, campuses.slice(1))
    const again = await collected(lane.wholeTerm?.(GROUP, cursors[0]))
    expect(again.every(({ known }) => known)).toBe(true)
    expect(asked.filter((url) => url.includes('searchResults')).length).toBeGreaterThan(3)
  })
})
