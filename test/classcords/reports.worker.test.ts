import { beforeEach, describe, expect, it } from 'vitest'
import { ReportsProps } from '../../src/classcords/contract.ts'
import { addPerson, emptyDirectory, makeSchool, makeServer } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { strict } from '../worker/strict.ts'
import { browserOf, type Visitor } from '../worker/visitor.ts'

/** What becomes of reports. */

let member: Visitor
let other: Visitor
let manager: Visitor
let server: { id: number }

beforeEach(async () => {
  await emptyDirectory()
  const school = (await makeSchool()).school_id
  ;[member, other, manager] = await Promise.all([
    browserOf(await addPerson({ school })),
    browserOf(await addPerson({ school })),
    browserOf(await addPerson({ school, role: 'manager' })),
  ])
  server = await makeServer({ name: 'Spam Club', schools: [school] })
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
  it('wait for a manager, oldest first, where their notice leads', async () => {
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

  it('are settled once: what comes after it leaves the server and its other reports alone', async () => {
    await report(member, 'I do not like it')
    await report(other, 'Nor do I')
    const [first] = (await open()).reports
    await handle(manager, first?.id ?? 0, 'dismissed')
    expect((await handle(manager, first?.id ?? 0, 'unlisted')).status).toBe(409)
    expect((await member.get(`/classcords/server/${server.id}/`)).status).toBe(200)
    expect((await open()).reports.map(({ reason }) => reason)).toEqual(['Nor do I'])
  })

  it('take a server off every list, and settle its other reports', async () => {
    await report(member, 'Sells essays')
    await report(other, 'Sells essays too')
    const [first] = (await open()).reports
    expect((await handle(manager, first?.id ?? 0, 'unlisted')).status).toBe(303)
    expect((await open()).reports).toEqual([])
    expect((await member.get(`/classcords/server/${server.id}/`)).status).toBe(404)
    expect(await one('SELECT count(*) AS open FROM server_report WHERE handled_at IS NULL')).toEqual({ open: 0 })
    expect(await rows("SELECT act FROM audit WHERE table_name = 'server_report' AND act = 'unlisted'")).toHaveLength(1)
  })
})
