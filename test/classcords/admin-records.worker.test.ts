import type { SQL } from 'drizzle-orm'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { statement, compiledText } from '../../src/db/query.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { Desk } from '../worker/admin-desk.ts'
import { openCampus } from '../worker/campus.ts'
import type { MadeGroup } from '../worker/catalog.ts'
import { addPerson, makePending, makeServer, type Person } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import type { Visitor } from '../worker/visitor.ts'

/** The directory's history: how the admin keeps, lists and shows it. */

let desk: Desk
let regular: Person
let manager: Person
let student: Visitor
let boss: Visitor
let school: MadeGroup

beforeAll(async () => {
  desk = await Desk.open()
  ;({ school, regular, manager, student, boss } = await openCampus())
})

describe('history', () => {
  test('of uses and redemptions cannot be changed, and reveals no secret', async () => {
    const server = await makeServer()
    await rows(
      'INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, ?, 5)',
      server.invite,
      `user:${regular.id}`,
    )
    await rows("INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, 'hash-of-a-cookie', 6)", server.invite)
    await rows(
      "INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('history', ?, 20, '1w', 0)",
      manager.discordUserId,
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
      expect((await desk.visitor.submit(`/admin/${table}/${row?.id}/`, { act: 'save' })).status).toBe(403)
    }
  })

  describe('adding a use', () => {
    const usesOf = async (id: number) =>
      (await one<{ uses_count: number }>('SELECT uses_count FROM invite WHERE id = ?', id)).uses_count
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 16)
    const add = (invite: number, fields: Record<string, string> = {}) =>
      desk.add('usages', { invite_id: String(invite), user_id: '', used_at: '', ...fields })

    test('counts once per hour and person, like a click', async () => {
      const { invite } = await makeServer()
      const user_id = String(regular.id)
      expect((await add(invite, { user_id })).status).toBe(303)
      expect(await usesOf(invite)).toBe(1)
      const [use] = await rows<{ id: number; visitor: string; used_at: number }>(
        'SELECT id, visitor, used_at FROM invite_use WHERE invite_id = ?',
        invite,
      )
      expect(use?.visitor).toBe(`user:${regular.id}`)
      expect(await desk.entry('invite_use')).toMatchObject({
        act: 'added',
        row_key: String(use?.id),
        after: { invite_id: invite, user_id: regular.id, used_at: use?.used_at },
      })
      for (const used_at of ['', minutesAgo(50)]) {
        const again = await add(invite, { user_id, used_at })
        expect([again.status, again.text.includes('is already counted within that hour.')]).toEqual([422, true])
      }
      expect((await add(invite, { user_id, used_at: minutesAgo(70) })).status).toBe(303)
      expect((await add(invite, { user_id: String(manager.id) })).status).toBe(303)
      expect([(await add(invite)).status, (await add(invite)).status]).toEqual([303, 303])
      expect(await usesOf(invite)).toBe(5)
      const { text } = await desk.see(`usages/?invite_id=${invite}&who=visitor`)
      expect(text).toContain('A visitor')
    })

    test('is refused for an invite that was never approved, and for future or very old times', async () => {
      const { invite } = await makeServer()
      const pending = await makePending()
      for (const [id, fields, sentence] of [
        [pending.id, {}, 'Only an approved invite can be used.'],
        [invite, { used_at: minutesAgo(-48 * 60) }, 'This is in the future.'],
        [invite, { used_at: minutesAgo(91 * 24 * 60) }, 'Uses are kept for 90 days'],
        [invite, { used_at: 'yesterday' }, 'Enter a date and time'],
        [invite, { user_id: '999999' }, 'There is a problem'],
        [999_999, {}, 'There is a problem'],
      ] as const) {
        const said = await add(id, fields)
        expect([said.status, said.text.includes(sentence)], sentence).toEqual([422, true])
      }
      expect([await usesOf(invite), await usesOf(pending.id)]).toEqual([0, 0])
    })

    test('can be undone by deleting it, but expired uses stay counted', async () => {
      const { invite } = await makeServer()
      for (const visitor of ['user:1', 'user:2', 'hash'])
        await rows('INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?, ?, ?)', invite, visitor, Date.now())
      await rows("DELETE FROM invite_use WHERE invite_id = ? AND visitor = 'hash'", invite)
      expect(await usesOf(invite)).toBe(3)
      const { id } = await one<{ id: number }>('SELECT id FROM invite_use WHERE invite_id = ? LIMIT 1', invite)
      expect((await desk.delete('usages', id)).text).toContain('was deleted')
      expect(await usesOf(invite)).toBe(2)
      expect(await desk.entry('invite_use')).toMatchObject({ act: 'deleted', row_key: String(id) })
      expect(await rows('SELECT 1 FROM invite_use WHERE id = ?', id)).toEqual([])
    })
  })

  describe('adding a redemption', () => {
    const makeReferral = (owner: Person, state: { max?: number; used?: number; expires?: number | null } = {}) =>
      one<{ id: number }>(
        `INSERT INTO referral (code, owner_id, max_uses, num_uses, expiry_timeframe, created_at, expires_at)
         VALUES (hex(randomblob(8)), ?, ?, ?, '1w', 0, ?) RETURNING id`,
        owner.discordUserId,
        state.max ?? 20,
        state.used ?? 0,
        state.expires ?? null,
      )
    const usesOf = async (id: number) =>
      (await one<{ num_uses: number }>('SELECT num_uses FROM referral WHERE id = ?', id)).num_uses
    const add = (referral: number, discord_id = '1176000000000000001') =>
      desk.add('redemptions', { referral_id: String(referral), discord_id })
    const redemptionOf = (referral: number) =>
      one<{ id: number }>('SELECT id FROM redemption WHERE referral_id = ? ORDER BY id LIMIT 1', referral)

    test('works once per person while the referral is valid, and is counted', async () => {
      const { id } = await makeReferral(regular)
      expect((await add(id)).status).toBe(303)
      expect(await usesOf(id)).toBe(1)
      expect(await desk.entry('redemption')).toMatchObject({
        act: 'added',
        row_key: String((await redemptionOf(id)).id),
        after: { referral_id: id, discord_id: '1176000000000000001' },
      })
      const [full, ended, revoked] = [
        await makeReferral(regular, { used: 20 }),
        await makeReferral(regular, { expires: 1 }),
        await makeReferral(regular),
      ]
      await rows('UPDATE referral SET revoked_at = 1 WHERE id = ?', revoked.id)
      for (const [referral, discord_id, sentence] of [
        [id, '1176000000000000001', 'This person has already used this referral.'],
        [id, '12ab', 'A Discord ID has 17 to 20 digits.'],
        [id, '', 'This field is required.'],
        [999_999, '1176000000000000002', 'There is a problem'],
        ...[full, ended, revoked].map(
          (one_) => [one_.id, '1176000000000000002', 'This referral is no longer active'] as const,
        ),
      ] as const) {
        const said = await add(referral, discord_id)
        expect([said.status, said.text.includes(sentence)], `${referral} ${sentence}`).toEqual([422, true])
      }
      expect([await usesOf(id), await usesOf(full.id)]).toEqual([1, 20])
      const typed = { referral_id: String(id), discord_id: '12ab', act: 'save' }
      const form = await (await desk.visitor.submit('/admin/redemptions/add/', typed)).text()
      for (const value of [String(id), '12ab']) expect(form).toContain(`value="${value}"`)
    })

    test('can be undone by deleting it, so that another person can join', async () => {
      const owner = await addPerson()
      const { id } = await makeReferral(owner, { used: 19 })
      await add(id)
      expect((await add(id, '1176000000000000003')).status).toBe(422)
      const { id: redemption } = await redemptionOf(id)
      expect((await desk.delete('redemptions', redemption)).text).toContain('was deleted')
      expect(await desk.entry('redemption')).toMatchObject({ act: 'deleted', row_key: String(redemption) })
      expect(await usesOf(id)).toBe(19)
      expect((await add(id, '1176000000000000003')).status).toBe(303)
      expect(await usesOf(id)).toBe(20)
    })

    test('cannot be undone if the owner would then exceed their limit', async () => {
      const owner = await addPerson()
      const { id } = await makeReferral(owner, { used: 19 })
      await add(id)
      for (let made = 0; made < 5; made += 1) await makeReferral(owner)
      const { id: redemption } = await redemptionOf(id)
      expect((await desk.delete('redemptions', redemption)).text).toContain('its owner over the limit')
      expect(await usesOf(id)).toBe(20)
      await rows('UPDATE user SET is_superuser = 1 WHERE id = ?', owner.id)
      expect((await desk.delete('redemptions', redemption)).text).toContain('was deleted')
      expect(await usesOf(id)).toBe(19)
    })
  })

  test('reports and notices can be read and deleted', async () => {
    const server = await makeServer({ schools: [school.school_id] })
    const path = `/classcords/ajax/servers/${server.id}/report/`
    expect((await student.call('POST', path, { reason: 'They sell essays' })).status).toBe(200)
    expect((await student.call('POST', path, { reason: 'They sell essays' })).status).toBe(429)
    expect(await rows("SELECT after FROM audit WHERE act = 'reported' AND row_key = ?", String(server.id))).toEqual([
      { after: '{"reason":"They sell essays"}' },
    ])
    const [title] = await desk.titles(`server-reports/?server_id=${server.id}`)
    expect(title).toContain('They sell essays')
    const report = await one<{ id: number }>('SELECT id FROM server_report WHERE server_id = ?', server.id)
    expect((await desk.delete('server-reports', report.id)).text).toContain('was deleted')
    const notice = await one<{ id: number }>(
      "SELECT id FROM notice WHERE kind = 'report' AND discord_user_id = ?",
      manager.discordUserId,
    )
    expect(await desk.titles(`notices/?discord_user_id=${manager.discordUserId}&kind=report`)).toHaveLength(1)
    await desk.delete('notices', notice.id)
    expect(await rows('SELECT 1 FROM notice WHERE id = ?', notice.id)).toEqual([])
  })
})

describe("managers' actions in the directory are audited", () => {
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
    const [first, second] = [await makePending({ submitter: regular.discordUserId }), await makePending()]
    const call = (id: number, act: string, body?: Record<string, string>) =>
      boss.call('POST', `/classcords/ajax/invites/${id}/${act}/`, body)
    await call(first.id, 'approve')
    await call(first.id, 'approve')
    await call(first.id, 'withdraw')
    await call(second.id, 'reject', { reason: 'Closed' })
    const of = await entries('invite', first.id)
    expect(of.map(({ act }) => act)).toEqual(['approved', 'withdrew'])
    expect(of[0]).toMatchObject({ user_id: manager.id, ip_address: boss.address })
    expect(await entries('invite', second.id)).toMatchObject([
      { act: 'rejected', before: '{"state":"pending"}', after: expect.stringContaining('Closed') as string },
    ])
  })

  test("revoking one's own referral, once", async () => {
    const { id } = await one<{ id: number }>(
      `INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('own', ?, 20, '1w', 0) RETURNING id`,
      regular.discordUserId,
    )
    for (const status of [303, 409])
      expect((await student.submit(`/classcords/referrals/${id}/revoke/`, {})).status).toBe(status)
    expect((await entries('referral', id)).map(({ act }) => act)).toEqual(['revoked'])
  })
})

/** The tables of people and of the directory, as declared. */
const tables = [...adminTables.values()].filter(({ area }) => area === 'People' || area === 'Class Cords')

describe.each(tables)('$labels', (table) => {
  beforeAll(async () => {
    const server = await makeServer()
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO server_report (server_id, reporter_id, reason, created_at) VALUES (?, ?, 'Spam', 0)",
      ).bind(server.id, regular.discordUserId),
      env.DB.prepare(
        "INSERT INTO notice (discord_user_id, kind, title, body, created_at) VALUES (?, 'report', ?, '', 0)",
      ).bind(regular.discordUserId, table.name),
      env.DB.prepare('INSERT INTO instructor (school_id, name) VALUES (?, ?)').bind(school.school_id, table.name),
    ])
  })

  test('list, sort, search and filter in every declared way', async () => {
    expect((await desk.titles(`${table.name}/`)).length).toBeGreaterThan(0)
    for (const { name, sort } of table.columns)
      if (sort !== undefined) await desk.titles(`${table.name}/?sort=-${name}`)
    expect(await desk.titles(`${table.name}/?q=nobody-has-this`)).toEqual([])
    for (const filter of table.filters) {
      if (filter.kind === 'choice') {
        for (const { value } of filter.choices) await desk.titles(`${table.name}/?${filter.name}=${value}`)
      } else if (filter.kind === 'moment') {
        await desk.titles(`${table.name}/?${filter.name}_from=2000-01-01&${filter.name}_to=2100-01-01`)
      } else for (const value of ['1', '0', 'words']) await desk.titles(`${table.name}/?${filter.name}=${value}`)
    }
  })

  test('show a row, what a delete would include, its history and the export of the list', async () => {
    const row = await one<{ id: number }>(`SELECT id FROM ${table.table} ORDER BY id DESC LIMIT 1`)
    const { response, text } = await desk.see(`${table.name}/${row.id}/`)
    expect(response.status).toBe(200)
    for (const { heading } of table.panels) expect(text).toContain(heading)
    const pages = [
      `${row.id}/history/`,
      ...(!table.mayDelete ? [] : [`${row.id}/delete/`]),
      ...(!table.mayAdd ? [] : ['add/']),
    ]
    for (const page of pages) expect((await desk.see(`${table.name}/${page}`)).response.status, page).toBe(200)
    const file = await desk.visitor.get(`/admin/${table.name}/export.csv`)
    expect((await file.text()).split('\r\n').length).toBeGreaterThan(2)
  })

  test('link only to tables and filters that exist', () => {
    const targets = [
      ...table.columns.flatMap(({ link }) => (link ? [link.table] : [])),
      ...[...table.fields, ...table.inlines.flatMap(({ fields }) => fields), ...table.filters].flatMap((one_) =>
        one_.kind === 'reference' ? [one_.to] : [],
      ),
    ]
    for (const target of targets) expect(adminTables.get(target), target).toBeDefined()
    for (const { table: other, filter } of table.related)
      expect(
        adminTables.get(other)?.filters?.map(({ name }) => name),
        other,
      ).toContain(filter)
  })

  test('indexed columns are found by an index', async () => {
    for (const filter of table.filters) {
      if (!filter.isIndexed) continue
      const conditions =
        filter.kind === 'choice'
          ? filter.choices.map(({ where }) => (where ? textOf(where) : `${textOf(filter.sql)} = 'x'`))
          : [`${textOf(filter.sql)} = 1`]
      for (const condition of conditions) await expectIndex(`SELECT * FROM ${table.table} WHERE ${condition}`)
    }
    for (const begins of table.search?.begins.map(textOf) ?? [])
      await expectIndex(`SELECT ${table.table}.id FROM ${table.table} WHERE ${begins} >= 'a' AND ${begins} < 'b'`)
    for (const { sort } of table.columns)
      if (sort !== undefined)
        await expectIndex(`SELECT * FROM ${table.table} ORDER BY ${textOf(sort)} DESC, ${table.table}.id DESC LIMIT 26`)
  })
})

const textOf = (expression: SQL): string => compiledText(statement(expression)).text

async function expectIndex(statement: string): Promise<void> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`).all<{ detail: string }>()
  const plan = results.map(({ detail }) => detail).join('; ')
  // A table that is scanned is in the order of its keys.
  if (!statement.includes('ORDER BY')) expect(plan, statement).toMatch(/USING (COVERING )?INDEX|INTEGER PRIMARY KEY/)
  expect(plan, statement).not.toContain('TEMP B-TREE')
}
