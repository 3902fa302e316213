import { describe, expect, it } from 'vitest'
import { banner9 } from '../../src/sources/banner9/banner9.ts'
import { colleague } from '../../src/sources/colleague/colleague.ts'
import { fose } from '../../src/sources/fose/fose.ts'
import { judge } from '../../src/sources/judge.ts'
import type { GroupSeats, Source, SourceAddress } from '../../src/sources/source.ts'
import { FAKE_BANNER, FakeBanner, fakeRow, TERM } from './fake-banner.ts'
import { FAKE_COLLEAGUE, fakeColleague, fixture } from './fake-colleague.ts'
import { FAKE_FOSE, fakeFose } from './fake-fose.ts'
import { collected, groupOf, openCounted } from './lanes.ts'

const SUBJECTS = ['ARTS', 'CHEM', 'MATH']
const GROUPS = SUBJECTS.map((subject, at) => ({
  group: groupOf({ term: TERM, subject }),
  watched: [{ section_key: String(at + 1), level: '' }],
}))
/** So few sections that the whole term would be read at once. */
const FEW = new Map([[`/${TERM}`, 3]])
const MINUTE = 60_000

/** Null: the school answers. */
type Refuse = () => Response | Promise<Response> | null
type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** A school that answers for a subject, and for the whole term as the test says. */
interface Kind {
  source: Source
  address: SourceAddress
  fetchOf: (refuse: Refuse) => Fetch
}

/** The subjects that a search is for; without one, all. */
const foundOf = (subject: string | undefined): string[] => (subject === undefined ? SUBJECTS : [subject])

const KINDS: Kind[] = [
  {
    source: banner9,
    address: FAKE_BANNER,
    fetchOf: (refuse) => {
      const fake = new FakeBanner(SUBJECTS.map((subject, at) => fakeRow(at + 1, { subject })))
      return async (input, init) => {
        const { pathname, searchParams } = new URL(input)
        const isOfTerm = pathname.endsWith('/searchResults') && !searchParams.has('txt_subject')
        return (isOfTerm ? refuse() : null) ?? fake.fetch(input, init)
      }
    },
  },
  {
    source: fose,
    address: FAKE_FOSE,
    fetchOf: (refuse) => (input, init) => {
      const search = ({ body }: { body: Record<string, unknown> | null }): Response => {
        const [criterion] = (body?.['criteria'] ?? []) as { value: string }[]
        const results = foundOf(criterion?.value).map((subject) => {
          const crn = String(SUBJECTS.indexOf(subject) + 1)
          return { key: crn, code: `${subject} 1`, title: 'A', crn, no: '1', stat: 'A', srcdb: TERM }
        })
        return Response.json({ srcdb: TERM, count: results.length, results })
      }
      const isOfTerm = typeof init.body === 'string' && init.body.includes('"criteria":[]')
      return Promise.resolve((isOfTerm ? refuse() : null) ?? fakeFose({ search }).fetch(input, init))
    },
  },
  {
    source: colleague,
    address: FAKE_COLLEAGUE,
    fetchOf: (refuse) => {
      const listed = JSON.parse(fixture('sections-in-words.json')) as { Sections: Record<string, unknown>[] }
      const [row] = listed.Sections
      return fakeColleague({
        'Courses/PostSearchCriteria': ({ body }) => {
          const [subject] = (body?.['subjects'] ?? []) as string[]
          const found = foundOf(subject).map((found) => ({
            ...row,
            Id: String(SUBJECTS.indexOf(found) + 1),
            TermId: TERM,
            Course: { Id: '5', SubjectCode: found, Number: '1010', Title: 'A' },
          }))
          const page = { Sections: found, TotalItems: found.length, TotalPages: 1, CurrentPageIndex: 1 }
          return (subject === undefined ? refuse() : null) ?? Response.json({ ...listed, ...page })
        },
      }).fetch
    },
  },
]

describe.each(KINDS)('a whole term that $source.label does not show', ({ source, address, fetchOf }) => {
  let now = 1_000_000
  const poll = async (refuse: Refuse, memo: string | null = null) => {
    let refused = 0
    const { lane, asked } = openCounted(source, address, {
      fetch: fetchOf(() => {
        refused++
        return refuse()
      }),
      now: () => now,
      memo,
      timeout_ms: 50,
    })
    const answers = await collected(lane.seats(GROUPS, FEW))
    return { answers, refused, requests: asked.length, memo: lane.memo?.() ?? null }
  }
  const statuses = (answers: readonly GroupSeats[]) =>
    answers.map(({ answer }) =>
      answer.known ? answer.value.seen.map((seen) => judge(seen).status).join() : answer.why,
    )
  const broken = () => new Response('', { status: 500 })
  const answered = () => null

  it.each<[string, Refuse]>([
    ['an error', broken],
    ['nothing in time', () => new Promise(() => {})],
    ['too much', () => new Response('x', { headers: { 'content-length': '900000000' } })],
    ['a page for people', () => new Response('<html>Maintenance</html>')],
    ['something else', () => Response.json({ srcdb: 'other' })],
  ])('but %s costs no group its answer', async (_what, refuse) => {
    const { answers } = await poll(refuse)
    expect(answers.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(statuses(answers)).toEqual(['open', 'open', 'open'])
  })

  it('is not asked for again for a while, and then is', async () => {
    const first = await poll(broken)
    const second = await poll(broken, first.memo)
    expect(second.refused).toBe(0)
    expect(statuses(second.answers)).toEqual(['open', 'open', 'open'])
    expect(second.memo).toBe(first.memo)
    now += 16 * MINUTE
    expect((await poll(broken, second.memo)).refused).toBe(1)
  })

  it('is asked for again after a minute, and as long as it fails at growing intervals of up to a quarter of an hour', async () => {
    const beganAt = now
    const triedAt: number[] = []
    let memo: string | null = null
    for (; now <= beganAt + 62 * MINUTE; now += MINUTE) {
      const { refused, memo: next } = await poll(broken, memo)
      if (refused > 0) triedAt.push((now - beganAt) / MINUTE)
      memo = next
    }
    expect(triedAt).toEqual([0, 1, 2, 4, 8, 16, 31, 46, 61])
    now += 15 * MINUTE
    memo = (await poll(answered, memo)).memo
    expect((await poll(broken, memo)).refused).toBe(1)
    memo = (await poll(broken, memo)).memo
    now += MINUTE
    expect((await poll(broken, memo)).refused).toBe(1)
  })

  it('is searched again if the memo cannot be read', async () => {
    for (const memo of ['', 'nonsense', '[]', '{"202610":{"believed":9}}', '{"202610":"x"}']) {
      expect((await poll(broken, memo)).refused).toBe(1)
    }
  })

  it.each<[string, Refuse]>([
    ['asks us to wait', () => new Response('', { status: 429, headers: { 'retry-after': '60' } })],
    ['cannot be reached', () => Promise.reject(new Error('connection refused'))],
  ])('because the school %s ends the poll and is not remembered', async (_what, refuse) => {
    const { answers, memo, requests } = await poll(refuse)
    expect(answers.map(({ answer }) => answer.known)).toEqual([false, false, false])
    expect(memo).toBeNull()
    expect(requests).toBeLessThanOrEqual(2)
  })
})
