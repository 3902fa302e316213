import { is, SQL } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { statement, compiledText } from '../../src/db/query.ts'
import { adminTables } from '../../src/admin/tables.ts'
import { wallClock } from '../../src/lib/time.ts'
import { makeGroup, makeRecipient } from '../worker/catalog.ts'
import { makeDelivery } from '../worker/deliveries.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { withoutKeys } from '../worker/keys-script.ts'

let staff: Visitor
let stranger: Visitor

beforeAll(async () => {
  staff = await Visitor.loggedInAs(await addUser({ isSuperuser: true }))
  stranger = await Visitor.loggedInAs(await addUser())
})

const was = (html: string): string => /name="was" value="([^"]*)"/.exec(html)?.[1] ?? ''

describe('only superusers', () => {
  const pages = (id: number) => [
    '/admin/',
    '/admin/audit/',
    '/admin/nothing/',
    ...['', 'add/', 'export.csv', `${id}/`, `${id}/delete/`, `${id}/history/`].map(
      (path) => `/admin/recipients/${path}`,
    ),
  ]

  test('see anything, even by id', async () => {
    const id = await makeRecipient()
    const anyone = new Visitor()
    for (const path of pages(id)) {
      const asked = await anyone.get(path)
      expect([asked.status, asked.headers.get('location')], path).toEqual([
        302,
        `/accounts/login/?${new URLSearchParams({ next: path })}`,
      ])
      expect((await anyone.get(path, { accept: 'application/json' })).status, path).toBe(401)
      const refused = await stranger.get(path)
      expect(refused.status, path).toBe(404)
      expect(await refused.text(), path).not.toContain('Recipient')
    }
  })

  test('change anything', async () => {
    const id = await makeRecipient()
    const before = await rows('SELECT count(*) AS n FROM audit')
    await stranger.see('/accounts/')
    for (const path of ['add/', `${id}/`, 'act/']) {
      const fields = { name: 'Mallory', act: 'delete', key: String(id), confirmed: '1' }
      expect((await stranger.submit(`/admin/recipients/${path}`, fields)).status, path).toBe(404)
    }
    expect(await rows('SELECT id FROM recipient WHERE id = ?', id)).toHaveLength(1)
    expect(await rows('SELECT count(*) AS n FROM audit')).toEqual(before)
  })

  test('and none without the token of their session', async () => {
    await staff.see('/admin/')
    const forged = await staff.submit('/admin/recipients/act/', { csrf_token: 'x' })
    expect(forged.status).toBe(403)
  })
})

test('a row offers only actions that would change it', async () => {
  const { source_id: source } = await makeGroup()
  const offered = async () =>
    [...(await staff.see(`/admin/sources/${source}/`)).html.matchAll(/<button[^>]* value="(\w+)"/g)].map(
      ([, name]) => name,
    )
  await rows('UPDATE source SET is_enabled = 1 WHERE id = ?', source)
  expect(await offered()).toEqual(expect.arrayContaining(['check', 'disable']))
  expect(await offered()).not.toContain('enable')
  await rows('UPDATE source SET is_enabled = 0 WHERE id = ?', source)
  expect(await offered()).toContain('enable')
  expect(await offered()).not.toContain('disable')
  for (const [until, isPaused] of [
    [null, false],
    [Date.now() - 1000, false],
    [Date.now() + 60_000, true],
  ] as const) {
    await rows('UPDATE source SET paused_until = ? WHERE id = ?', until, source)
    expect((await offered()).includes('resume')).toBe(isPaused)
  }
})

test('a list names its actions on selected rows, and a row says what it has none of and what is deleted with it', async () => {
  const { source_id: source, school_id: school } = await makeGroup()
  const page = async (path: string) => (await staff.see(`/admin/${path}`)).html
  expect(await page('sources/')).toContain('aria-label="With selected"')
  expect(await page(`sources/${source}/`)).toMatch(/<h2>Unresponsive subjects: none<\/h2>(?!<p)/)
  const removal = await page(`schools/${school}/delete/`)
  expect(removal).toContain('>Also deletes:</h2>')
  expect(removal).not.toContain(', deleted<')
})

test('a message is offered to be sent again only if it failed or expired', async () => {
  const { id } = await makeDelivery('email')
  for (const [state, isOffered] of [
    ['sent', false],
    ['queued', false],
    ['failed', true],
    ['expired', true],
  ] as const) {
    await rows('UPDATE delivery SET state = ? WHERE id = ?', state, id)
    expect((await staff.see(`/admin/deliveries/${id}/`)).html.includes('value="retry"')).toBe(isOffered)
  }
})

test('an audit entry about many rows shows only its title', async () => {
  await rows(
    "INSERT INTO audit (at, who, act, area, table_name, row_key, title) VALUES (?, 'x', 'refreshed', '', 'section', '', 'Sections of Art')",
    Date.now(),
  )
  const { html } = await staff.see('/admin/')
  expect(html).toContain('>Sections of Art<')
  expect(html).not.toContain('Section Sections')
})

test('pages load no script except the keyboard shortcuts, and escape every text', async () => {
  const evil = `"><script>alert(1)</script>&amp;'`
  const id = await makeRecipient([{ kind: 'email', address: evil }])
  await rows('UPDATE recipient SET name = ?, description = ? WHERE id = ?', evil, evil, id)
  await staff.see(`/admin/recipients/${id}/`)
  const paths = [
    '/admin/',
    `/admin/recipients/?q=${encodeURIComponent(evil)}`,
    `/admin/recipients/${id}/`,
    `/admin/recipients/${id}/delete/`,
    `/admin/recipients/add/?name=${encodeURIComponent(evil)}`,
    `/admin/audit/?table_name=${encodeURIComponent(evil)}`,
  ]
  for (const path of paths) {
    const { response, html } = await staff.see(path)
    expect(response.status, path).toBe(200)
    expect(html, path).not.toContain('<script>alert')
    expect(withoutKeys(html).match(/<script\b[^>]*>/g), path).toEqual([
      '<script type="application/json" id="page-data">',
    ])
  }
  const { html } = await staff.see(`/admin/recipients/${id}/`)
  expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#x27;')
})

test("a phone number of another recipient is refused in the class tracker's words", async () => {
  await makeRecipient([{ kind: 'phone', address: '+12125550142' }])
  const [owner] = await rows<{ name: string }>(
    "SELECT r.name FROM recipient r JOIN contact c ON c.recipient_id = r.id WHERE c.address = '+12125550142'",
  )
  const id = await makeRecipient()
  const { html } = await staff.see(`/admin/recipients/${id}/`)
  const answer = await staff.submit(`/admin/recipients/${id}/`, {
    was: was(html),
    act: 'save',
    'contacts-new-kind': 'phone',
    'contacts-new-address': '(212) 555-0142',
    'contacts-new-is_enabled': '1',
  })
  expect(answer.status).toBe(422)
  const page = await answer.text()
  expect(page).toContain(`This contact already belongs to ${owner?.name}.`)
  expect(page).toContain('href="#contacts-new-address"')
  expect(page).toContain('value="(212) 555-0142"')
})

test('a time is unchanged if its form is sent from another time zone', async () => {
  const { school_term_id: id } = await makeGroup()
  const [term] = await rows<{ ends_at: number }>('SELECT ends_at FROM school_term WHERE id = ?', id)
  const path = `/admin/school-terms/${id}/`
  const { html } = await staff.see(path)
  expect(html).toContain('name="clock" value="UTC"')
  const send = (clock: string) =>
    staff.submit(path, { was: was(html), act: 'save', clock, ends_at: wallClock(term?.ends_at ?? 0, 'Asia/Kolkata') })
  expect((await send('Asia/Kolkata')).status).toBe(303)
  expect(await rows('SELECT ends_at FROM school_term WHERE id = ?', id)).toEqual([term])
  const refused = await staff.submit(path, { was: was(html), act: 'save', clock: 'Asia/Kolkata', ends_at: 'soon' })
  expect(await refused.text()).toContain('In the time zone Asia/Kolkata.')
  expect((await send('Mars/Olympus')).status).toBe(303)
  const [moved] = await rows<{ ends_at: number }>('SELECT ends_at FROM school_term WHERE id = ?', id)
  expect(moved?.ends_at).toBe(Math.floor((term?.ends_at ?? 0) / 1000) * 1000 + 330 * 60_000)
})

test('the second of two people who save a recipient sees the current state', async () => {
  const id = await makeRecipient()
  const path = `/admin/recipients/${id}/`
  const { html } = await staff.see(path)
  const save = (fields: Record<string, string>) => staff.submit(path, { was: was(html), act: 'save', ...fields })
  expect((await save({ name: 'First' })).status).toBe(303)
  const second = await save({ name: 'Second' })
  expect(second.status).toBe(409)
  const page = await second.text()
  expect(page).toContain('Someone else changed this at the same time.')
  expect(page).toContain('Current value: “First”.')
  expect(page).toContain('value="Second"')
  expect((await staff.submit(path, { was: was(page), act: 'save', name: 'Second' })).status).toBe(303)
  expect(await rows('SELECT name FROM recipient WHERE id = ?', id)).toEqual([{ name: 'Second' }])
})

describe('selected rows', () => {
  const choose = (fields: Record<string, string>, keys: number[], path = '/admin/recipients/act/') => {
    const body = new URLSearchParams({ csrf_token: staff.csrfToken, ...fields })
    for (const key of keys) body.append('key', String(key))
    return staff.fetch(path, {
      method: 'POST',
      headers: { origin: staff.origin, 'sec-fetch-site': 'same-origin', accept: 'text/html' },
      body,
    })
  }

  test('are deleted together after a confirmation', async () => {
    const keys = [await makeRecipient([{ kind: 'email', address: 'one@example.com' }]), await makeRecipient()]
    await staff.see('/admin/recipients/')
    const back = '/admin/recipients/?q=person'
    const asked = await choose({ act: 'delete', back }, keys)
    expect(asked.status).toBe(200)
    const page = await asked.text()
    expect(page).toContain('Delete these 2 recipients?')
    expect(page).toContain('email one@example.com')
    expect(await rows(`SELECT id FROM recipient WHERE id IN (${keys.join()})`)).toHaveLength(2)
    const done = await choose({ act: 'delete', back, confirmed: '1' }, keys)
    expect([done.status, done.headers.get('location')]).toEqual([303, back])
    expect(await rows(`SELECT id FROM recipient WHERE id IN (${keys.join()})`)).toEqual([])
    expect(await rows("SELECT id FROM audit WHERE act = 'deleted' ORDER BY id DESC LIMIT 2")).toHaveLength(2)
  })

  describe('whose form had expired', () => {
    const warning = 'You were logged out before this was done.'

    test.each(['/admin/recipients/?q=person', '/admin/recipients/act/'])(
      'are asked about again at %s',
      async (path) => {
        const keys = [await makeRecipient(), await makeRecipient()]
        staff.csrfToken = 'expired'
        const refused = await choose({ act: 'delete', back: '/admin/recipients/?q=person', confirmed: '1' }, keys)
        expect(refused.status).toBe(403)
        const { html, response } = await staff.see(path)
        expect(response.status).toBe(200)
        expect(html).toContain(warning)
        expect(html).toContain('Delete these 2 recipients?')
        for (const key of keys) expect(html).toContain(`name="key" value="${key}"`)
        expect(html).toContain('href="/admin/recipients/?q=person"')
        expect(await rows(`SELECT id FROM recipient WHERE id IN (${keys.join()})`)).toHaveLength(2)
        expect(await (await staff.get(path)).text()).not.toContain(warning)
      },
    )

    test('are changed only after a question, and keep what was typed', async () => {
      const { source_id: source } = await makeGroup()
      await rows('UPDATE source SET is_enabled = 0 WHERE id = ?', source)
      staff.csrfToken = 'expired'
      await choose({ act: 'enable', back: `/admin/sources/${source}/` }, [source], '/admin/sources/act/')
      const { html } = await staff.see(`/admin/sources/${source}/`)
      expect(html).toContain(warning)
      expect(html).toContain('<p>Enable?</p>')
      expect(await rows('SELECT is_enabled FROM source WHERE id = ?', source)).toEqual([{ is_enabled: 0 }])

      staff.csrfToken = 'expired'
      const reason = { act: 'reject', confirmed: '1', reason: 'Not a class <server>' }
      await choose(reason, [1], '/admin/invites/act/')
      expect((await staff.see('/admin/invites/')).html).toContain('value="Not a class &lt;server&gt;"')
    })

    test.each([
      ['an unknown action', 'explode', 1, 'Recipients do not have this action.'],
      ['too many rows', 'delete', 51, 'Select at most 50 rows at a time.'],
    ])('return to their list with an explanation after %s', async (_what, act, count, explanation) => {
      const back = '/admin/recipients/?q=person'
      staff.csrfToken = 'expired'
      await choose(
        { act, back },
        Array.from({ length: count }, (_, index) => index + 1),
      )
      const answer = await staff.get('/admin/recipients/')
      expect([answer.status, answer.headers.get('location')]).toEqual([303, back])
      expect((await staff.see(back)).html).toContain(explanation)
    })
  })

  test('are ignored if there are none, too many, or no such action', async () => {
    await staff.see('/admin/recipients/')
    for (const back of ['//evil.example/', '/admin/recipients/\r\nset-cookie: a=b', '/admin/recipients/?q=é'])
      expect((await choose({ act: 'delete', back }, [])).headers.get('location')).toBe('/admin/recipients/')
    const tooMany = Array.from({ length: 101 }, (_, index) => index + 1)
    expect((await choose({ act: 'delete' }, tooMany)).status).toBe(422)
    expect((await choose({ act: 'explode' }, [1])).status).toBe(404)
  })
})

test('an address that supports one method says which, and is never taken for a row', async () => {
  // The keys of settings are words.
  for (const table of ['recipients', 'settings', 'audit']) {
    for (const [method, path, allow] of [
      ['GET', 'act/', 'POST'],
      ['GET', 'act', 'POST'],
      ['PUT', 'act/', 'POST'],
      ['POST', 'export.csv', 'GET, HEAD'],
      ['DELETE', 'export.csv', 'GET, HEAD'],
    ] as const) {
      const answer = await staff.call(method, `/admin/${table}/${path}`)
      const said = [answer.status, answer.headers.get('allow')]
      expect(said, `${method} ${table}/${path}`).toEqual([405, allow])
    }
  }
  expect((await staff.get('/admin/nothing/act/')).status).toBe(404)
  expect((await stranger.get('/admin/recipients/act/')).status).toBe(404)
})

test('the audit log can be searched, filtered and exported, but never changed', async () => {
  const id = await makeRecipient()
  const { html } = await staff.see(`/admin/recipients/${id}/`)
  await staff.submit(`/admin/recipients/${id}/`, {
    was: was(html),
    act: 'save',
    name: 'Noteworthy',
    description: '=cmd',
  })
  const [entry] = await rows<{ id: number }>('SELECT id FROM audit ORDER BY id DESC LIMIT 1')
  const seen = (await staff.see(`/admin/audit/?act=changed&table_name=recipient`)).html
  expect(seen).toContain(`/admin/audit/${entry?.id}/`)
  expect((await staff.see('/admin/audit/?act=deleted&q=noteworthy')).html).not.toContain(`/admin/audit/${entry?.id}/`)
  expect((await staff.see(`/admin/audit/${entry?.id}/`)).html).toContain('Noteworthy')
  const csv = await (await staff.get('/admin/audit/export.csv?act=changed')).text()
  expect(csv).toContain('""name"":""Noteworthy""')
  for (const path of ['add/', `${entry?.id}/delete/`])
    expect((await staff.get(`/admin/audit/${path}`)).status).toBe(404)
  expect((await staff.submit(`/admin/audit/${entry?.id}/`, { who: 'nobody' })).status).toBe(403)
  expect((await staff.see(`/admin/recipients/${id}/history/`)).html).toContain('Noteworthy')
  const history = await staff.get(`/admin/recipients/${id}/history/`, { accept: 'application/json' })
  expect((await history.json<{ props: unknown }>()).props).toEqual({
    table: 'recipients',
    key: id,
    entries: expect.arrayContaining([
      {
        id: entry?.id,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        who: expect.any(String),
        act: 'changed',
        table_name: 'recipient',
        row_key: String(id),
        title: expect.any(String),
        changes: expect.arrayContaining([{ field: 'name', before: expect.any(String), after: 'Noteworthy' }]),
      },
    ]),
  })
})

test('no table declaration reads a secret', () => {
  for (const table of adminTables.values()) {
    const text = JSON.stringify(table, (_key, value: unknown) =>
      is(value, SQL) ? compiledText(statement(value)).text.replaceAll('"', '') : value,
    )
    // Whether someone has a password is no secret.
    const rest = text.replaceAll(/\bpassword_hash IS (?:NOT )?NULL/g, '')
    expect(rest, table.name).not.toMatch(/password_hash|sealed_|_hash\b|secret/)
  }
})
