import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { adminTables } from '../../src/admin/tables.ts'
import { Desk } from '../worker/admin-desk.ts'
import { addPerson, makePending, makeSchool, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { browserOf } from '../worker/visitor.ts'

/** What happened in the directory: how the admin keeps, lists and shows it. */

let desk: Desk
let regular: Person
let manager: Person
let school: Awaited<ReturnType<typeof makeSchool>>

beforeAll(async () => {
  desk = await Desk.open()
  school = await makeSchool()
  regular = await addPerson({ school: school.school_id })
  manager = await addPerson({ role: 'manager', school: school.school_id })
})

describe('what is history', () => {
  test('uses and redemptions are only read', async () => {
    const server = await makeServer()
    await rows(
      'INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, ?, 5)',
      server.invite,
      `user:${regular.id}`,
    )
    await rows("INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, 'hash-of-a-cookie', 6)", server.invite)
    await rows(
      "INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('history', ?, 20, '1w', 0)",
      manager.chat,
    )
    await rows(
      "INSERT INTO redemption (referral_id, discord_id, created_at) SELECT id, ?, 0 FROM referral WHERE code = 'history'",
      regular.discord_id,
    )
    const { text } = await desk.see(`usages/?invite_id=${server.invite}`)
    expect(text).toContain('A visitor')
    expect(text).not.toContain('hash-of-a-cookie')
    expect(await desk.titles(`redemptions/?q=${regular.discord_id}`)).toEqual([`${regular.name} by ${manager.name}`])
    for (const table of ['usages', 'redemptions']) {
      const [row] = await rows<{ id: number }>(
        `SELECT id FROM ${table === 'usages' ? 'invite_use' : 'redemption'} LIMIT 1`,
      )
      expect((await desk.see(`${table}/${row?.id}/`)).response.status).toBe(200)
      for (const page of ['add/', `${row?.id}/delete/`])
        expect((await desk.see(`${table}/${page}`)).response.status).toBe(404)
      expect((await desk.visitor.submit(`/admin/${table}/${row?.id}/`, { act: 'save' })).status).toBe(403)
    }
  })

  test('reports and notices are read and deleted', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    const browser = await browserOf(regular)
    const path = `/classcords/ajax/servers/${server.id}/report/`
    expect((await browser.call('POST', path, { reason: 'They sell essays' })).status).toBe(200)
    expect((await browser.call('POST', path, { reason: 'They sell essays' })).status).toBe(429)
    expect(await rows("SELECT after FROM audit WHERE act = 'reported' AND row_key = ?", String(server.id))).toEqual([
      { after: '{"reason":"They sell essays"}' },
    ])
    const [title] = await desk.titles(`server-reports/?server_id=${server.id}`)
    expect(title).toContain('They sell essays')
    const report = await one<{ id: number }>('SELECT id FROM server_report WHERE server_id = ?', server.id)
    expect((await desk.delete('server-reports', report.id)).text).toContain('was deleted')
    const notice = await one<{ id: number }>(
      "SELECT id FROM notice WHERE kind = 'report' AND discord_user_id = ?",
      manager.chat,
    )
    expect(await desk.titles(`notices/?discord_user_id=${manager.chat}&kind=report`)).toHaveLength(1)
    await desk.delete('notices', notice.id)
    expect(await rows('SELECT 1 FROM notice WHERE id = ?', notice.id)).toEqual([])
  })
})

describe('what managers do in the directory is written down', () => {
  const entries = (table: string, key: number) =>
    rows<{
      act: string
      who: string
      user_id: number
      ip_address: string
      before: string | null
      after: string | null
    }>(
      'SELECT act, who, user_id, ip_address, before, after FROM audit WHERE table_name = ? AND row_key = ? ORDER BY id',
      table,
      String(key),
    )

  test('reviews, with who and from where', async () => {
    const browser = await browserOf(manager)
    const [first, second] = [await makePending({ submitter: regular.chat }), await makePending()]
    const call = (id: number, act: string, body?: Record<string, string>) =>
      browser.call('POST', `/classcords/ajax/invites/${id}/${act}/`, body)
    await call(first.id, 'approve')
    await call(first.id, 'approve')
    await call(first.id, 'withdraw')
    await call(second.id, 'reject', { reason: 'Closed' })
    const of = await entries('invite', first.id)
    expect(of.map(({ act }) => act)).toEqual(['approved', 'withdrew'])
    expect(of[0]).toMatchObject({ user_id: manager.id, ip_address: browser.address })
    expect(await entries('invite', second.id)).toMatchObject([
      { act: 'rejected', before: '{"state":"pending"}', after: expect.stringContaining('Closed') as string },
    ])
  })

  test('one’s own referral that is revoked, once', async () => {
    const { id } = await one<{ id: number }>(
      `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('own', ?, 20, '1w', 0) RETURNING id`,
      regular.chat,
    )
    const browser = await browserOf(regular)
    for (const status of [303, 409])
      expect((await browser.submit(`/classcords/referrals/${id}/revoke/`, {})).status).toBe(status)
    expect((await entries('referral', id)).map(({ act }) => act)).toEqual(['revoked'])
  })
})

/** The tables of people and of the directory, as they are declared. */
const tables = [...adminTables.values()].filter(({ area }) => area === 'People' || area === 'Class Cords')

describe.each(tables)('$labels', (table) => {
  beforeAll(async () => {
    const server = await makeServer()
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO server_report (server_id, reporter_id, reason, created_at) VALUES (?, ?, 'Spam', 0)",
      ).bind(server.id, regular.chat),
      env.DB.prepare(
        "INSERT INTO notice (discord_user_id, kind, title, body, created_at) VALUES (?, 'report', ?, '', 0)",
      ).bind(regular.chat, table.name),
      env.DB.prepare('INSERT INTO instructor (school_id, name) VALUES (?, ?)').bind(school.school_id, table.name),
    ])
  })

  test('list, sort, search and filter in every way they say', async () => {
    expect((await desk.titles(`${table.name}/`)).length).toBeGreaterThan(0)
    for (const { name, sort } of table.columns)
      if (sort !== undefined) await desk.titles(`${table.name}/?sort=-${name}`)
    expect(await desk.titles(`${table.name}/?q=nobody-has-this`)).toEqual([])
    for (const filter of table.filters ?? []) {
      if (filter.kind === 'choice') {
        for (const { value } of filter.choices) await desk.titles(`${table.name}/?${filter.name}=${value}`)
      } else if (filter.kind === 'moment') {
        await desk.titles(`${table.name}/?${filter.name}_from=2000-01-01&${filter.name}_to=2100-01-01`)
      } else for (const value of ['1', '0', 'words']) await desk.titles(`${table.name}/?${filter.name}=${value}`)
    }
  })

  test('show a row, what would go with it, its history and the file of the list', async () => {
    const row = await one<{ id: number }>(`SELECT id FROM ${table.table} ORDER BY id DESC LIMIT 1`)
    const { response, text } = await desk.see(`${table.name}/${row.id}/`)
    expect(response.status).toBe(200)
    for (const { heading } of table.panels ?? []) expect(text).toContain(heading)
    const pages = [
      `${row.id}/history/`,
      ...(table.mayDelete === false ? [] : [`${row.id}/delete/`]),
      ...(table.mayAdd === false ? [] : ['add/']),
    ]
    for (const page of pages) expect((await desk.see(`${table.name}/${page}`)).response.status, page).toBe(200)
    const file = await desk.visitor.get(`/admin/${table.name}/export.csv`)
    expect((await file.text()).split('\r\n').length).toBeGreaterThan(2)
  })

  test('lead only to tables and filters that there are', () => {
    const targets = [
      ...table.columns.flatMap(({ link }) => (link ? [link.table] : [])),
      ...[...table.fields, ...(table.inlines ?? []).flatMap(({ fields }) => fields), ...(table.filters ?? [])].flatMap(
        (one_) => (one_.kind === 'reference' ? [one_.to] : []),
      ),
    ]
    for (const target of targets) expect(adminTables.has(target), target).toBe(true)
    for (const { table: other, filter } of table.related ?? [])
      expect(
        adminTables.get(other)?.filters?.map(({ name }) => name),
        other,
      ).toContain(filter)
  })

  test('what is indexed is found by an index', async () => {
    for (const filter of table.filters ?? []) {
      if (!filter.isIndexed) continue
      const conditions =
        filter.kind === 'choice'
          ? filter.choices.map(({ where }) => where ?? `t.${filter.name} = 'x'`)
          : [`t.${filter.name} = 1`]
      for (const condition of conditions) await expectIndex(`SELECT * FROM ${table.table} t WHERE ${condition}`)
    }
    for (const begins of table.search?.begins ?? [])
      await expectIndex(`SELECT t.id FROM ${table.table} t WHERE ${begins} >= 'a' AND ${begins} < 'b'`)
    for (const { sort } of table.columns)
      if (sort !== undefined)
        await expectIndex(`SELECT * FROM ${table.table} t ORDER BY ${sort} DESC, t.id DESC LIMIT 26`)
  })
})

async function expectIndex(statement: string): Promise<void> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`).all<{ detail: string }>()
  const plan = results.map(({ detail }) => detail).join('; ')
  expect(plan, statement).toMatch(/USING (COVERING )?INDEX|INTEGER PRIMARY KEY/)
  if (statement.includes('ORDER BY')) expect(plan, statement).not.toContain('TEMP B-TREE')
}
