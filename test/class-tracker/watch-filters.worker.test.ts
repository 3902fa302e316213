import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { AddClassesProps } from '../../src/class-tracker/recipients/contract.ts'
import { listRecipients } from '../../src/class-tracker/recipients/list-recipients.ts'
import { makeGroup, type MadeGroup, makeRecipient, makeSection, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { strict } from '../worker/strict.ts'
import { watchedDatabase } from '../worker/watched-database.ts'

let staff: Visitor
let near: MadeGroup
let far: MadeGroup
let fallTerm: number
let springTerm: number
let open: number
let closed: number
let unread: number
let both: number
let one: number

beforeAll(async () => {
  staff = await browserOf(await addUser({ isSuperuser: true }))
  near = await makeGroup({ read_at: Date.now() })
  // Last read longer ago than a status is shown as current.
  far = await makeGroup({ read_at: Date.now() - 60 * 60_000 })
  const [term] = await rows<{ id: number }>(
    `INSERT INTO term (year, season, full_term_name) VALUES (2027, 'spring', '2027 Spring Term') RETURNING id`,
  )
  springTerm = term?.id ?? 0
  await rows('UPDATE school_term SET term_id = ? WHERE id = ?', springTerm, far.school_term_id)
  const [known] = await rows<{ id: number }>('SELECT term_id AS id FROM school_term WHERE id = ?', near.school_term_id)
  fallTerm = known?.id ?? 0
  open = await makeSection(near, '70001', 'open', 4)
  closed = await makeSection(near, '70002', 'closed')
  unread = await makeSection(far, '70003', 'open', 4)
  both = await makeRecipient()
  one = await makeRecipient()
  await makeRecipient()
  for (const section of [open, closed, unread]) await makeWatch(both, section)
  await makeWatch(one, closed)
})

const see = async (query: Record<string, string>) =>
  strict(AddClassesProps).parse(
    (await staff.see(`/class_tracker/add_classes/?${new URLSearchParams(query)}`)).data.props,
  )

/** Who is listed, and with which sections. */
const listed = async (query: Record<string, string>) =>
  (await see(query)).recipients.map(({ id, watched_sections: sections }) => [id, sections.map((section) => section.id)])

describe('filters of watched sections', () => {
  test('list the recipients with such sections, and of theirs only these', async () => {
    expect(await listed({ status: 'open' })).toEqual([[both, [open]]])
    expect(await listed({ status: 'closed' })).toEqual([
      [one, [closed]],
      [both, [closed]],
    ])
    expect(await listed({ school_id: String(near.school_id) })).toEqual([
      [one, [closed]],
      [both, [open, closed]],
    ])
    expect(await listed({ term_id: String(springTerm) })).toEqual([[both, [unread]]])
    expect(await listed({ status: 'waitlisted' })).toEqual([])
  })

  test('go by the status that is shown: a section that was not read recently is unknown', async () => {
    expect(await listed({ status: 'unknown' })).toEqual([[both, [unread]]])
  })

  test('are combined with each other and with the search', async () => {
    const [found] = await rows<{ name: string }>('SELECT name FROM recipient WHERE id = ?', one)
    const name = found?.name ?? ''
    expect(await listed({ status: 'closed', q: name })).toEqual([[one, [closed]]])
    expect(await listed({ status: 'open', q: name })).toEqual([])
    expect(await listed({ status: 'closed', school_id: String(near.school_id), term_id: String(fallTerm) })).toEqual([
      [one, [closed]],
      [both, [closed]],
    ])
    expect(await listed({ status: 'closed', school_id: String(far.school_id) })).toEqual([])
  })

  test('count what they leave, while a recipient still says how many sections it watches', async () => {
    const { recipients, totals, filters } = await see({ status: 'open', school_id: String(near.school_id) })
    expect(recipients.map(({ watched_count: count }) => count)).toEqual([3])
    expect(totals).toMatchObject({ sections: 1, open: 1 })
    expect(filters).toEqual({ status: 'open', school_id: near.school_id, term_id: null })
    const { html } = await staff.see('/class_tracker/add_classes/?status=open')
    expect(html.replaceAll('<!-- -->', '')).toContain('Show 2 more')
    expect(html).toMatch(/<option value="open" selected="">/)
  })

  test('say what to do if nothing matches', async () => {
    const { html } = await staff.see('/class_tracker/add_classes/?status=waitlisted')
    expect(html).toContain('Nothing matches these filters.')
    expect(html).toContain('href="?"')
  })

  test.each([
    ['empty', { status: '', school_id: '', term_id: '' }],
    ['unknown', { status: 'full', school_id: '999999', term_id: '888888' }],
    ['malformed', { status: 'OPEN', school_id: '1e3', term_id: '-1' }],
    ['hostile', { status: "open' OR 1=1 --", school_id: '1; DROP TABLE watch', term_id: '💥' }],
  ])('that are %s are ignored', async (_, query) => {
    const everything = await see({})
    const shown = await see(query)
    expect(shown.filters).toBeUndefined()
    expect(shown.recipients.map(({ id }) => id)).toEqual(everything.recipients.map(({ id }) => id))
  })

  test('that are unknown leave the others in effect', async () => {
    expect(await listed({ status: 'open', school_id: '999999' })).toEqual([[both, [open]]])
    expect((await see({ status: 'open', school_id: '999999' })).filters).toEqual({
      status: 'open',
      school_id: null,
      term_id: null,
    })
  })

  test('take a second round trip, and keep their pages', async () => {
    const crowd: number[] = []
    for (let count = 0; count < 27; count += 1) {
      const recipient = await makeRecipient()
      crowd.push(recipient)
      await makeWatch(recipient, unread)
    }
    const query = { term_id: String(springTerm), status: 'unknown' }
    const first = await see(query)
    expect(first.pagination).toMatchObject({ current_page: 1, total_pages: 2 })
    expect(first.recipients.map(({ id }) => id)).toEqual(crowd.toReversed().slice(0, 25))
    const second = await see({ ...query, page: '2' })
    expect(second.recipients.map(({ id }) => id)).toEqual([...crowd.slice(0, 2).toReversed(), both])
    const { html } = await staff.see(`/class_tracker/add_classes/?${new URLSearchParams(query)}`)
    expect(html).toContain(`href="?status=unknown&amp;term_id=${springTerm}&amp;page=2"`)
    let trips = 0
    await listRecipients(
      { ...env, DB: watchedDatabase({ before: () => void (trips += 1) }) },
      { page: 1, search: '', filters: { status: 'open', school_id: null, term_id: null } },
      Date.now(),
    )
    expect(trips).toBe(2)
  })
})
