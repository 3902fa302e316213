import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Visitor, control, sectionsOf } from './client.ts'
import { OTHER_SYSTEMS } from './control/other-systems.ts'
import { startWorld, type RunningWorld } from './server.ts'

const PHONE = '+12025550143'
let running: RunningWorld

beforeAll(async () => {
  running = await startWorld({
    appUrl: 'http://localhost:1',
    twilioAccountSid: 'AC1',
    twilioAuthToken: 't',
    now: Date.parse('2026-11-21T12:00:00Z'),
  })
})
afterAll(() => running.close())

const visit = (path: string): Promise<string> => new Visitor(running.url).page(path)
const press = (path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(running.url + path, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' })

describe('the pages', () => {
  it('show what arrived on a phone, escaped, with links to press', async () => {
    expect(await visit('/')).toContain('No phone has a message yet')
    await fetch(`${running.url}/sms/2010-04-01/Accounts/AC1/Messages.json`, {
      method: 'POST',
      body: new URLSearchParams({
        To: PHONE,
        From: '+12025550100',
        Body: '<b>MATH</b> & more http://example.com/a?b=1&c=2',
      }),
      headers: { authorization: `Basic ${Buffer.from('AC1:t').toString('base64')}` },
    })
    const page = await visit('/')
    expect(page).toContain('&lt;b&gt;MATH&lt;/b&gt; &amp; more <a href="http://example.com/a?b=1&amp;c=2">')
    expect(page).toContain(PHONE)
  })

  it('say so if the app does not accept a reply', async () => {
    const answer = await press('/phones/reply', { from: PHONE, body: 'STOP' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringContaining('did+not+take')])
    expect(await visit('/')).toContain('said STOP')
  })

  it('show email in a frame that can run nothing', async () => {
    const sent = await fetch(`${running.url}/mail/emails`, {
      method: 'POST',
      headers: { authorization: 'Bearer re_1' },
      body: JSON.stringify({
        from: 'a@example.com',
        to: 'b@example.com',
        subject: 'A <seat>',
        html: '<p onclick="x">hello</p>',
        text: 'hello',
      }),
    })
    const { id } = (await sent.json()) as { id: string }
    expect(await visit('/mailbox')).toContain(`<a href="/mailbox/${id}">A &lt;seat&gt;</a>`)
    const letter = await visit(`/mailbox/${id}`)
    expect(letter).toMatch(/<iframe [^>]*sandbox="[^"]*" srcdoc="[^"]*&lt;p onclick=/)
    expect(letter).not.toContain('allow-scripts')
  })

  it('find a section and open it by its button', async () => {
    const [closed] = await sectionsOf(running.url, {
      school: 'Queens College',
      term: '2026 Fall Term',
      status: 'closed',
    })
    if (!closed) throw new Error('nothing is closed')
    const { source, school, term, section } = closed
    const listed = await visit(`/catalog/qns01?q=${section}`)
    expect(listed).toContain(`id="s${section}"`)
    expect(listed).toContain('>1 section<')
    const pressed = await press('/catalog/set', {
      source,
      school,
      term,
      section,
      status: 'open',
      back: '/catalog/qns01',
    })
    expect(pressed.status).toBe(303)
    expect(await sectionsOf(running.url, { source, school, term, section })).toMatchObject([{ status: 'open' }])
    expect(await visit('/catalog/qns01?status=open&page=999')).toContain('Previous')
  })

  it('break and repair a service', async () => {
    await press('/faults', { service: 'discord', mode: 'slow', times: '3' })
    expect(await (await control(running.url, 'GET', 'faults')).json()).toEqual([
      { service: 'discord', mode: 'slow', times: 3 },
    ])
    expect(await visit('/faults')).toContain('answers late, 3 more')
    await press('/faults/clear', { service: 'discord' })
    expect(await (await control(running.url, 'GET', 'faults')).json()).toEqual([])
  })

  it('begin with the phones, the newest mail, a seat of every school, and the switches', async () => {
    const home = await visit('/')
    expect(home).toMatch(/<h2>Newest mail<\/h2>.*A &lt;seat&gt;<\/a>/s)
    for (const name of ['Harbor State University', 'Queens College']) expect(home).toContain(`<b>${name}</b>`)
    for (const { source } of OTHER_SYSTEMS) expect(home).toContain(`the same seats: ${source}`)
    expect(home).toContain('action="/catalog/set"')
    for (const service of ['sms', 'Harbor State University']) expect(home).toContain(`<option>${service}</option>`)
    const [, form = ''] = /action="\/catalog\/set">(.*?)<\/form>/s.exec(home) ?? []
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
    const pressed = await press('/catalog/set', Object.fromEntries(fields))
    expect(pressed.headers.get('location')).toMatch(/^\/\?said=.*#s\w+$/)
    await press('/faults', { service: 'sms', mode: 'slow' })
    expect(await visit('/')).toMatch(/sms: <b[^>]*>answers late<\/b>.*Mend it/s)
    await press('/faults/clear', { service: 'sms' })
  })

  it('answer every address, know what does not exist, and refuse another site', async () => {
    for (const path of [
      '/',
      '/mailbox',
      '/chat',
      '/catalog',
      '/catalog/harbor',
      '/faults',
      '/requests',
      '/world.css',
      '/world.js',
    ])
      expect((await fetch(running.url + path)).status).toBe(200)
    for (const path of ['/nothing', '/mailbox/none', '/catalog/none'])
      expect((await fetch(running.url + path)).status).toBe(404)
    expect((await press('/faults', { service: 'sms', mode: 'slow' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    )
  })
})
