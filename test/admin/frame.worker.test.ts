import { beforeAll, expect, test } from 'vitest'
import { makeAnotherSection, makeGroup, makeRecipient, makeWatch } from '../worker/catalog.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  await staff.see('/admin/')
})

const seen = async (path: string): Promise<string> => (await staff.see(path)).html.replaceAll('<!-- -->', '')

test('lists and rows are shown beside all tables with their counts, with the current one marked', async () => {
  const id = await makeRecipient()
  await rows("UPDATE admin_count SET row_count = (table_name = 'recipients')")
  for (const path of ['/admin/recipients/', `/admin/recipients/${id}/`]) {
    const side = /<nav class="admin-side".*?<\/nav>/s.exec(await seen(path))?.[0] ?? ''
    expect(side.match(/<a /g), path).toHaveLength(25)
    expect(side.match(/aria-current="page"/g), path).toHaveLength(1)
    expect(side, path).toContain('<a href="/admin/recipients/" aria-current="page">Recipients<span')
    // Zeros are left out.
    expect(side, path).toContain('<a href="/admin/server-reports/">Reports</a>')
    expect(side, path).toMatch(/Counts updated <time/)
  }
})

test('outdated counts are renewed by the next view of a list', async () => {
  await makeRecipient()
  await rows("UPDATE admin_count SET counted_at = 0, row_count = 0 WHERE table_name = 'recipients'")
  await seen('/admin/recipients/')
  const count = async () =>
    (await rows<{ n: number }>("SELECT row_count AS n FROM admin_count WHERE table_name = 'recipients'"))[0]
  await expect.poll(async () => (await count())?.n).toBeGreaterThan(0)
})

test('a list shows its filters, each of which can be removed separately', async () => {
  const html = await seen('/admin/sections/?status=open&watched=yes&q=math')
  const chips = [...html.matchAll(/class="chip chip-on" href="([^"]*)" aria-label="([^"]*)"/g)]
  expect(chips.map(([, href, label]) => [label, href?.replaceAll('&amp;', '&')])).toEqual([
    ['Watched: yes. Remove', '/admin/sections/?q=math&status=open'],
    ['Status: Open. Remove', '/admin/sections/?q=math&watched=yes'],
  ])
  expect(await seen('/admin/sections/?status=ajar&watched=no')).not.toContain('Filters in use')
  expect(await seen('/admin/users/?created_at_from=soon')).not.toContain('Filters in use')
})

test('a list hides columns that are blank or the same in every row because of a filter', async () => {
  const id = await makeRecipient()
  await rows("UPDATE recipient SET name = 'Blank of description' WHERE id = ?", id)
  const heads = async (path: string) =>
    [...(await seen(path)).matchAll(/<th scope="col".*?<\/th>/g)].map(([head]) => head.replaceAll(/<[^>]+>/g, ''))
  expect(await heads('/admin/recipients/?q=blank+of+description')).toEqual(['Name', 'Reached by', 'Watches', 'Added'])
  await rows("UPDATE recipient SET description = 'Evenings' WHERE id = ?", id)
  expect(await heads('/admin/recipients/?q=blank+of+description')).toContain('Description')
  await makeAnotherSection(await makeGroup(), 'open')
  expect(await heads('/admin/sections/')).toContain('Status')
  expect(await heads('/admin/sections/?status=open')).not.toContain('Status')
})

test('a section shows its seats as on other pages, and its export has them as numbers', async () => {
  const group = await makeGroup()
  const id = await makeAnotherSection(group, 'open')
  await rows('UPDATE section SET seats_available = 3, capacity = 120 WHERE id = ?', id)
  const read = (at: number) =>
    rows('UPDATE section_group SET read_at = ?1, listed_at = ?1 WHERE id = ?2', at, group.group_id)
  await read(Date.now())
  expect(await seen('/admin/sections/')).toMatch(
    /<svg class="seat-bar".*?<\/svg><span><strong>3<\/strong> left of 120</,
  )
  await read(Date.now() - 60 * 60_000)
  expect(await seen('/admin/sections/')).toMatch(/<svg class="seat-bar".*?<\/svg><span class="muted">was 3 of 120</)
  const file = await (await staff.get('/admin/sections/export.csv')).text()
  const [head = '', first = ''] = file.split('\r\n')
  expect(head).toContain('Number,Status,Free seats,Capacity')
  expect(head).not.toContain(',Seats,')
  expect(first).toContain(',open,3,120,')
})

test("a row's page shows its latest changes and the number of related rows", async () => {
  const group = await makeGroup()
  const id = await makeAnotherSection(group)
  await makeWatch(await makeRecipient(), id)
  await makeWatch(await makeRecipient(), id)
  await rows(
    `INSERT INTO audit (at, who, act, area, table_name, row_key, title, before, after)
     VALUES (0, 'ada', 'changed', '', 'section', ?, 'x', '{"topic":"Old"}', '{"topic":"New"}')`,
    String(id),
  )
  const html = await seen(`/admin/sections/${id}/`)
  expect(html).toContain(`<a href="/admin/watches/?section_id=${id}">Watches</a><span class="muted numbers">2</span>`)
  expect(html).toContain('<del>Old</del> <span aria-hidden="true">→</span> <ins>New</ins>')
  expect(await seen('/admin/audit/')).toContain('<del>Old</del>')
})
