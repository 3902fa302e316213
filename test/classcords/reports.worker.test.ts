import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ProfileProps, ReportsProps, type ServerProps } from '../../src/classcords/contract.ts'
import { openCampus } from '../worker/campus.ts'
import { addPerson, makeSchool, makeServer } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { addUser, browserOf, Visitor } from '../worker/visitor.ts'

/** What happens to reports. */

let member: Visitor
let other: Visitor
let manager: Visitor
let server: { id: number }
let memberDiscordUserId: number
let bossDiscordUserId: number

beforeEach(async () => {
  const { school, student, boss, regular, manager: bossPerson } = await openCampus()
  ;[member, manager] = [student, boss]
  ;[memberDiscordUserId, bossDiscordUserId] = [regular.discordUserId, bossPerson.discordUserId]
  other = await browserOf(await addPerson({ school: school.school_id }))
  server = await makeServer({ name: 'Spam Club', schools: [school.school_id] })
})

const report = (who: Visitor, reason: string) =>
  who.call('POST', `/classcords/ajax/servers/${server.id}/report/`, { reason })

async function open(): Promise<ReportsProps> {
  const { data } = await manager.see('/classcords/reports/')
  return strict(ReportsProps).parse(data.props)
}

const handle = async (who: Visitor, id: number, outcome: string) => {
  await who.see('/classcords/')
  return who.submit(`/classcords/reports/${id}/`, { outcome })
}

describe('reports', () => {
  it('are listed for managers, oldest first, where their notice leads', async () => {
    await report(member, 'Sells essays <b>')
    await report(other, 'Nobody is there')
    const { reports, report_count: count } = await open()
    expect([count, reports.map(({ reason }) => reason)]).toEqual([2, ['Sells essays <b>', 'Nobody is there']])
    expect(await rows("SELECT DISTINCT url FROM notice WHERE kind = 'report'")).toEqual([
      { url: '/classcords/reports/' },
    ])
    expect((await member.get('/classcords/reports/')).status).toBe(403)
    expect((await handle(member, reports[0]?.id ?? 0, 'unlisted')).status).toBe(403)
  })

  it('are listed 50 per page, and handling one leads back to its page', async () => {
    await rows(
      `INSERT INTO server_report (server_id, reporter_id, reason, created_at)
       SELECT ?, ?, 'Spam ' || value, value FROM json_each(?)`,
      server.id,
      memberDiscordUserId,
      JSON.stringify(Array.from({ length: 52 }, (_unused, n) => n)),
    )
    const first = await open()
    expect([first.reports.length, first.report_count, first.pagination]).toMatchObject([
      50,
      52,
      { current_page: 1, total_pages: 2, next_page_number: 2 },
    ])
    const { data, html } = await manager.see('/classcords/reports/?page=9')
    const last = strict(ReportsProps).parse(data.props)
    expect([last.reports.map(({ reason }) => reason), last.pagination.current_page]).toEqual([
      ['Spam 50', 'Spam 51'],
      2,
    ])
    const [report_] = last.reports
    const action = `/classcords/reports/${report_?.id}/?page=2`
    for (const words of [`action="${action}"`, 'rel="prev"']) expect(html).toContain(words)
    const handled = await manager.submit(action, { outcome: 'dismissed' })
    expect([handled.status, handled.headers.get('location')]).toEqual([303, '/classcords/reports/?page=2'])
  })

  it('sent after the session had expired are filled in once after the next login', async () => {
    const form = `/classcords/server/${server.id}/report/`
    const page = `/classcords/server/${server.id}/`
    const elsewhere = `/classcords/server/${(await makeServer({ name: 'Another Club' })).id}/`
    const refusedAt = async (who: Visitor, path: string) => (await who.see<ServerProps>(path)).data.props.refused_report
    await member.see(page)
    await env.DB.prepare('DELETE FROM session').run()
    expect((await member.submit(form, { reason: 'Sells essays\n<b>' })).status).toBe(401)
    const kept = member.cookies.get('kept_form') ?? ''
    expect(kept).toMatch(/^v1\./)
    expect(await refusedAt(member, page)).toBe(null)
    const another = await browserOf(await addPerson({ school: (await makeSchool()).school_id }))
    another.cookies.set('kept_form', kept)
    expect(await refusedAt(another, page)).toBe(null)
    expect(another.cookies.has('kept_form')).toBe(false)
    const user = await one<{ id: number }>('SELECT user_id AS id FROM discord_user WHERE id = ?', memberDiscordUserId)
    const again = await browserOf(user)
    again.cookies.set('kept_form', kept)
    expect(await refusedAt(again, elsewhere)).toBe(null)
    const errors = ['You were logged out before this was sent. Please send it again.']
    expect(await refusedAt(again, page)).toEqual({ reason: 'Sells essays\n<b>', errors })
    expect(await refusedAt(again, page)).toBe(null)
    // No other forms are kept.
    await env.DB.prepare('DELETE FROM session').run()
    expect((await again.submit('/classcords/referrals/1/revoke/', { reason: 'x' })).status).toBe(401)
    expect(again.cookies.has('kept_form')).toBe(false)
  })

  it.each([
    ['torn', 'multipart/form-data; boundary=torn', '--torn\r\nContent-Disposition: form-data; name="a'],
    ['too long', 'application/x-www-form-urlencoded', `reason=${'a'.repeat(100_000)}`],
  ])(
    'that are %s and sent after the session had expired are answered with the login page',
    async (_what, type, body) => {
      await member.see(`/classcords/server/${server.id}/`)
      await env.DB.prepare('DELETE FROM session').run()
      const headers = { origin: member.origin, 'sec-fetch-site': 'same-origin', 'content-type': type }
      const answer = await member.fetch(`/classcords/server/${server.id}/report/`, { method: 'POST', headers, body })
      expect(answer.status).toBe(401)
      expect(member.cookies.has('kept_form')).toBe(false)
    },
  )

  it('are dismissed, and the server stays', async () => {
    await report(member, 'I do not like it')
    const [first] = (await open()).reports
    expect((await handle(manager, first?.id ?? 0, 'nonsense')).status).toBe(400)
    expect((await handle(manager, first?.id ?? 0, 'dismissed')).status).toBe(303)
    expect((await open()).reports).toEqual([])
    expect((await member.get(`/classcords/server/${server.id}/`)).status).toBe(200)
    expect((await handle(manager, first?.id ?? 0, 'unlisted')).status).toBe(409)
    expect((await handle(manager, 999_999, 'dismissed')).status).toBe(404)
  })

  it('never pass their ids on, so that no one decides about a server they have not seen', async () => {
    await report(member, 'I do not like it')
    const { id } = await one<{ id: number }>('SELECT id FROM server_report')
    await rows('DELETE FROM server_report')
    await report(other, 'Nor do I')
    expect((await handle(manager, id, 'unlisted')).status).toBe(404)
  })

  it('are handled once: a later attempt changes neither the server nor its other reports', async () => {
    await report(member, 'I do not like it')
    await report(other, 'Nor do I')
    const [first] = (await open()).reports
    await handle(manager, first?.id ?? 0, 'dismissed')
    expect((await handle(manager, first?.id ?? 0, 'unlisted')).status).toBe(409)
    expect((await member.get(`/classcords/server/${server.id}/`)).status).toBe(200)
    expect((await open()).reports.map(({ reason }) => reason)).toEqual(['Nor do I'])
  })

  it('ask before they unlist a server, without a script', async () => {
    await report(member, 'Sells essays')
    const [first] = (await open()).reports
    const question = `/classcords/reports/${first?.id}/remove/`
    const listed = (await manager.see('/classcords/reports/')).html
    expect(listed).toContain(`href="${question}"`)
    expect(listed).not.toContain('value="unlisted"')
    const { html } = await manager.see(`${question}?page=2`)
    expect(html).toContain('Spam Club')
    expect(html).toContain(`action="/classcords/reports/${first?.id}/?page=2"`)
    expect(html).toContain('value="unlisted"')
    expect((await member.get(question)).status).toBe(403)
    expect((await manager.get('/classcords/reports/999999/remove/')).status).toBe(404)
    await handle(manager, first?.id ?? 0, 'dismissed')
    expect((await manager.get(question)).status).toBe(409)
  })

  it('unlist a server, and close its other reports', async () => {
    await report(member, 'Sells essays')
    await report(other, 'Sells essays too')
    await rows('UPDATE invite SET submitter_id = (SELECT min(reporter_id) FROM server_report)')
    await rows('UPDATE discord_server SET is_required_for_trust = 1 WHERE id = ?', server.id)
    const [first] = (await open()).reports
    expect((await handle(manager, first?.id ?? 0, 'unlisted')).status).toBe(303)
    expect((await open()).reports).toEqual([])
    expect((await member.see<ProfileProps>('/classcords/profile/')).data.props.submissions).toMatchObject([
      { state: 'approved', is_valid: true, discord_server: { is_active: false } },
    ])
    expect((await member.get(`/classcords/server/${server.id}/`)).status).toBe(404)
    expect(await one('SELECT is_required_for_trust FROM discord_server WHERE id = ?', server.id)).toEqual({
      is_required_for_trust: 0,
    })
    expect(await one('SELECT count(*) AS open FROM server_report WHERE handled_at IS NULL')).toEqual({ open: 0 })
    expect(await rows("SELECT act FROM audit WHERE table_name = 'server_report' AND act = 'unlisted'")).toHaveLength(1)
  })

  it('about a server that is no longer listed can only be closed', async () => {
    await report(member, 'Sells essays')
    await rows('UPDATE discord_server SET is_active = 0 WHERE id = ?', server.id)
    const [first] = (await open()).reports
    const { html } = await manager.see('/classcords/reports/')
    expect(html).toContain('This server is no longer listed.')
    expect(html).not.toContain(`/classcords/server/${server.id}/`)
    expect(html).not.toContain('Remove from the list')
    await handle(manager, first?.id ?? 0, 'dismissed')
    expect((await manager.see('/classcords/reports/')).html).toContain('The report about Spam Club was closed.')
  })

  it('about a server without a working invite link to no missing page, and can still keep it off the list', async () => {
    await report(member, 'Sells essays')
    await rows('UPDATE invite SET is_valid = 0 WHERE server_id = ?', server.id)
    expect((await manager.get(`/classcords/server/${server.id}/`)).status).toBe(404)
    const { html } = await manager.see('/classcords/reports/')
    expect(html).toContain('This server is not listed, because none of its invites works.')
    expect(html).not.toContain(`/classcords/server/${server.id}/`)
    expect(html).toContain('Remove from the list')
    await handle(manager, (await open()).reports[0]?.id ?? 0, 'dismissed')
    expect((await manager.see('/classcords/reports/')).html).toContain('The report about Spam Club was closed.')
  })

  it('can be sent as a plain form, and a refused one is shown again as filled in', async () => {
    const page = `/classcords/server/${server.id}/`
    expect((await member.see(page)).html).toContain(`action="${page}report/"`)
    const refused = await member.submit(`${page}report/`, { reason: 'x'.repeat(1001) })
    expect([refused.status, (await refused.text()).includes('x'.repeat(1001))]).toEqual([422, true])
    const sent = await member.submit(`${page}report/`, { reason: 'Sells essays' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, page])
    expect((await member.see(page)).html).toContain('Thank you. The managers will look at it.')
    const again = await member.submit(`${page}report/`, { reason: 'Still does' })
    expect([again.status, Number(again.headers.get('retry-after')) > 86_000]).toEqual([429, true])
    const { html } = await member.read(again)
    for (const words of ['Still does', 'You have already reported this server today.', '<details open'])
      expect(html).toContain(words)
    expect((await open()).reports).toHaveLength(1)
    expect((await member.submit('/classcords/server/999999/report/', { reason: 'x' })).status).toBe(404)
    const visitor = new Visitor()
    expect((await visitor.see(page)).html).not.toContain('Report this server')
    expect((await visitor.submit(`${page}report/`, { reason: 'x' })).status).toBe(302)
    const unlinked = await browserOf(await addUser())
    expect((await unlinked.submit(`${page}report/`, { reason: 'x' })).status).toBe(403)
  })

  it('are only about servers whose page the member may see', async () => {
    const hidden = await makeServer({ privacy: 'private', schools: [(await makeSchool()).school_id] })
    const ajax = `/classcords/ajax/servers/${hidden.id}/report/`
    const page = `/classcords/server/${hidden.id}/`
    expect((await member.get(page)).status).toBe(403)
    expect((await member.call('POST', ajax, { reason: 'x' })).status).toBe(403)
    expect((await member.submit(`${page}report/`, { reason: 'x' })).status).toBe(403)
    expect(await rows('SELECT 1 FROM server_report')).toEqual([])
    expect((await manager.call('POST', ajax, { reason: 'Spam' })).status).toBe(200)
  })

  it('are limited to 10 an hour per member, in both ways, and a refused one is shown again as filled in', async () => {
    const servers: number[] = []
    for (let n = 0; n < 12; n += 1) servers.push((await makeServer({ schools: [] })).id)
    const path = (n: number) => `/classcords/ajax/servers/${servers[n]}/report/`
    for (let n = 0; n < 10; n += 1)
      expect((await member.call('POST', path(n), { reason: `Spam ${n}` })).status).toBe(200)
    await rows("UPDATE server_report SET created_at = created_at - 600000 WHERE reason = 'Spam 0'")
    const refused = await member.call('POST', path(10), { reason: 'Spam too' })
    expect([refused.status, await refused.json()]).toEqual([
      429,
      ['You can send 10 reports an hour. Try again in 50 minutes.'],
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(2900)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3000)
    const form = await member.submit(`/classcords/server/${servers[10]}/report/`, { reason: 'Spam by form' })
    expect([form.status, form.headers.has('retry-after')]).toEqual([429, true])
    const { html } = await member.read(form)
    for (const words of ['Spam by form', 'You can send 10 reports an hour.']) expect(html).toContain(words)
    const again = await member.call('POST', path(1), { reason: 'Spam again' })
    expect(await again.json()).toEqual(['You have already reported this server today.'])
    expect((await other.call('POST', path(10), { reason: 'Spam' })).status).toBe(200)
    expect(
      await rows("SELECT 1 FROM notice WHERE kind = 'report' AND discord_user_id = ?", bossDiscordUserId),
    ).toHaveLength(11)
    await rows("UPDATE server_report SET created_at = created_at - 3600000 WHERE reason = 'Spam 0'")
    expect((await member.call('POST', path(10), { reason: 'Spam' })).status).toBe(200)
    expect((await member.call('POST', path(11), { reason: 'Spam' })).status).toBe(429)
  })

  it('can be sent in both ways by members who have not selected a school', async () => {
    const page = `/classcords/server/${server.id}/`
    const newcomer = await browserOf(await addPerson())
    expect((await newcomer.see(page)).html).toContain(`action="${page}report/"`)
    const sent = await newcomer.submit(`${page}report/`, { reason: 'Sells essays' })
    expect([sent.status, sent.headers.get('location')]).toEqual([303, page])
    expect((await newcomer.get(`${page}report/`)).headers.get('location')).toBe(page)
    expect((await report(await browserOf(await addPerson()), 'Sells answers')).status).toBe(200)
    expect((await open()).reports.map(({ reason }) => reason)).toEqual(['Sells essays', 'Sells answers'])
  })
})

it("a server's own page shows its uses only to managers, without a script", async () => {
  const { invite } = await makeServer({ name: 'Busy' })
  const { server_id: id } = await one<{ server_id: number }>('SELECT server_id FROM invite WHERE id = ?', invite)
  await rows(
    "INSERT INTO invite_use (invite_id, visitor, used_at) VALUES (?1, 'a', ?2), (?1, 'b', ?2)",
    invite,
    Date.now(),
  )
  await rows('UPDATE invite SET uses_count = 9 WHERE id = ?', invite)
  const page = `/classcords/server/${id}/`
  expect((await manager.see(page)).html).toContain('2 uses in the last 30 days, 9 in all')
  expect((await member.see(page)).html).not.toContain('in the last 30 days')
})
