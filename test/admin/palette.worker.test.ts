import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { Palette } from '../../src/web/contract.ts'
import { countedReads } from '../worker/counted-reads.ts'
import { makeGroup, makeRecipient, makeSection } from '../worker/catalog.ts'
import { makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { addUser, browserOf, type Visitor } from '../worker/visitor.ts'
import { findPalette } from '../../src/admin/palette.ts'
import { adminTables } from '../../src/admin/tables.ts'

let staff: Visitor

beforeAll(async () => {
  staff = await browserOf(await addUser({ username: 'palette', isSuperuser: true }))
})

async function find(q: string, who: Visitor = staff): Promise<Record<string, string[]>> {
  const response = await who.call('GET', `/admin/palette.json?q=${encodeURIComponent(q)}`)
  const { groups } = strict(Palette).parse(await response.json())
  return Object.fromEntries(groups.map(({ label, entries }) => [label, entries.map(({ href }) => href)]))
}

describe("the superusers' palette finds", () => {
  test("the admin's tables before anything is typed, and those whose name matches", async () => {
    expect((await find(''))['Admin']).toContain('/admin/sections/')
    expect((await find('recip'))['Admin']).toEqual(['/admin/recipients/'])
  })

  test('sections by number and course, exact numbers first', async () => {
    const group = await makeGroup()
    const longer = await makeSection(group, '100651')
    const exact = await makeSection(group, '10065')
    expect((await find('10065'))['Sections']).toEqual([`/admin/sections/${exact}/`, `/admin/sections/${longer}/`])
    const [course] = await rows<{ code: string; level: string }>(
      'SELECT c.code, c.level FROM course c JOIN section s ON s.course_id = c.id WHERE s.id = ?',
      exact,
    )
    expect((await find(`${course?.code} ${course?.level}`))['Sections']).toContain(`/admin/sections/${exact}/`)
  })

  test('recipients, servers and a job by name', async () => {
    const recipient = await makeRecipient()
    await rows("UPDATE recipient SET name = 'Quentin <b>Example</b>' WHERE id = ?", recipient)
    expect((await find('quent'))['Recipients']).toEqual([
      '/class_tracker/add_classes/?q=Quentin+%3Cb%3EExample%3C%2Fb%3E',
    ])
    const { id } = await makeServer({ name: 'Zymurgy Club' })
    expect((await find('ZYMURGY'))['Servers']).toEqual([`/classcords/server/${id}/`])
    const hidden = await makeServer({ name: 'Yeast Club', isListed: false })
    expect((await find('yeast'))['Servers']).toEqual([`/admin/servers/${hidden.id}/`])
    const job = 'poll-source-1j5k2l3m400001p'
    expect((await find(job))['Jobs']).toEqual([`/scheduler/jobs/${job}/`])
    expect(await find('nothing begins with this')).toEqual({})
  })

  test('names with letters beyond A to Z, however they are written and typed', async () => {
    const names = ['École normale', 'LYCÉE MARIE', 'Été Émile', 'Ünal Öz']
    for (const name of names) await rows('UPDATE recipient SET name = ? WHERE id = ?', name, await makeRecipient())
    const plain = new Map([
      ['École normale', 'ecole'],
      ['LYCÉE MARIE', 'lycee m'],
      ['Été Émile', 'ete emile'],
      ['Ünal Öz', 'unal oz'],
    ])
    const found = async (q: string) => (await find(q))['Recipients']
    for (const name of names) {
      const address = `/class_tracker/add_classes/?${new URLSearchParams({ q: name })}`
      for (const typed of [name, name.toLowerCase(), name.toUpperCase(), plain.get(name) ?? ''])
        expect(await found(typed), typed).toContain(address)
    }
    const { id } = await makeServer({ name: 'Études françaises' })
    expect((await find('etudes fr'))['Servers']).toEqual([`/classcords/server/${id}/`])
    for (const q of ['école', 'ecole', 'NORMALE']) {
      const listed = await staff.see(`/admin/recipients/?${new URLSearchParams({ q })}`)
      expect(listed.html, q).toContain('École normale')
    }
  })

  test('everything with one index lookup, however much data there is', async () => {
    const group = await makeGroup()
    for (let index = 0; index < 40; index += 1) await makeSection(group, `77${String(index).padStart(3, '0')}`)
    const { db, reads } = countedReads()
    await findPalette({ ...env, DB: db }.DB, adminTables, '77')
    expect(reads.rows).toBeLessThan(80)
    const plan = await rows<{ detail: string }>(
      'EXPLAIN QUERY PLAN SELECT id FROM recipient WHERE octet_length(name) > length(name) ORDER BY id DESC LIMIT 1000',
    )
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('recipient_name_beyond_ascii')])
  })
})

describe('a reference field', () => {
  const optionsOf = async (q: string, who: Visitor = staff) =>
    who.call('GET', `/admin/recipients/options.json?${new URLSearchParams({ q })}`)

  test("is offered the matches of its table's search, with their keys", async () => {
    const recipient = await makeRecipient()
    await rows("UPDATE recipient SET name = 'Xenia <i>Example</i>' WHERE id = ?", recipient)
    expect(await (await optionsOf('xenia')).json()).toEqual({
      options: [{ value: String(recipient), label: `Xenia <i>Example</i> (${recipient})` }],
    })
    expect(await (await optionsOf(' ')).json()).toEqual({ options: [] })
    expect((await staff.see(`/admin/recipients/${recipient}/`)).html).toContain(
      '<title>Xenia &lt;i&gt;Example&lt;/i&gt; · Recipients · Class Cords</title>',
    )
  })

  test('is read-only, and hidden from everyone else', async () => {
    const student = await browserOf(await addUser({ username: 'no-options', isSuperuser: false }))
    expect((await optionsOf('xenia', student)).status).toBe(404)
    expect((await staff.call('POST', '/admin/recipients/options.json')).status).toBe(405)
  })

  test('labels a contact by its kind, and a webhook by the end of its id', async () => {
    const recipient = await makeRecipient()
    const add = (kind: string, address: string) =>
      rows(
        'INSERT INTO contact (recipient_id, kind, address, address_key, created_at) VALUES (?, ?, ?, ?, 0) RETURNING id',
        recipient,
        kind,
        address,
        address,
      )
    await add('email', 'xenia@example.com')
    await add('discord', 'https://discord.com/api/webhooks/1234567890123/secret-token')
    const { html } = await staff.see(`/admin/recipients/${recipient}/`)
    expect(html).toMatch(/Email address<\/label><input[^>]*inputMode="email"/i)
    expect(html).toMatch(/Webhook URL<\/label><input[^>]*inputMode="url"/i)
    const list = (await staff.see('/admin/contacts/')).html
    expect(list).toContain('Discord webhook …0123')
    expect(list).not.toContain('secret-token')
  })
})

test('no one else can see that the palette exists', async () => {
  const student = await browserOf(await addUser({ username: 'not-staff', isSuperuser: false }))
  expect((await student.call('GET', '/admin/palette.json?q=1')).status).toBe(404)
  expect((await student.call('GET', '/classcords/ajax/palette/?q=1')).status).toBe(403)
  expect((await student.see('/')).html).not.toContain('data-palette')
  expect((await staff.see('/')).html).toContain('data-palette')
  expect((await staff.see('/accounts/sessions/')).html).not.toContain('data-palette')
})
