import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { makeRecipient } from '../worker/catalog.ts'
import { makeServer } from '../worker/directory.ts'
import { rows } from '../worker/rows.ts'
import { addUser, Visitor } from '../worker/visitor.ts'
import { withoutKeys } from '../worker/keys-script.ts'

let staff: Visitor
let admin: { id: number; username: string }

beforeAll(async () => {
  admin = await addUser({ isSuperuser: true })
  staff = await Visitor.loggedInAs(admin)
})

const inputValue = (html: string, name: string): string | undefined =>
  new RegExp(`name="${name}"[^>]*value="([^"]*)"|value="([^"]*)"[^>]*name="${name}"`).exec(html)?.slice(1).find(Boolean)

/** Opens a row's form and submits it with some values changed. */
async function change(path: string, fields: Record<string, string>) {
  const { html } = await staff.see(path)
  return staff.submit(path, { was: inputValue(html, 'was') ?? '', act: 'save', ...fields })
}

/** Confirms that a row is deleted. @param html the page that asks */
const remove = (table: string, key: string, html: string) =>
  staff.submit(`/admin/${table}/act/`, { act: 'delete', key, confirmed: '1', was: inputValue(html, 'was') ?? '' })

const lastEntry = async () => {
  const [entry] = await rows<{
    act: string
    table_name: string
    row_key: string
    title: string
    before: string
    after: string
    who: string
    user_id: number
  }>('SELECT * FROM audit ORDER BY id DESC LIMIT 1')
  return entry
}

describe('a form sent after the session has expired', () => {
  const filled = { is_contact_by_phone: '0', 'contacts-new-kind': 'phone', 'contacts-new-address': '(212) 555-0187' }
  const warning = 'You were logged out before this was saved. Check it and save it again.'

  async function sendLate(path: string, fields: Record<string, string>): Promise<Visitor> {
    const late = await Visitor.loggedInAs(admin)
    const { html } = await late.see(path)
    await env.DB.prepare('DELETE FROM session').run()
    const was = inputValue(html, 'was')
    const refused = await late.submit(path, { ...(was !== undefined && { was }), act: 'save', ...fields })
    expect(refused.status).toBe(401)
    staff = await Visitor.loggedInAs(admin)
    staff.cookies.set('kept_form', late.cookies.get('kept_form') ?? '')
    return staff
  }

  test('comes back filled in once, and has added nothing', async () => {
    const path = '/admin/recipients/add/'
    const back = await sendLate(path, { ...filled, name: 'Late <Ada>', description: 'Typed "slowly"' })
    const { html, response } = await back.see(path)
    expect(response.status).toBe(200)
    expect(html).toContain(warning)
    expect(inputValue(html, 'name')).toBe('Late &lt;Ada&gt;')
    expect(html).toContain('Typed &quot;slowly&quot;</textarea>')
    expect(inputValue(html, 'contacts-new-address')).toBe('(212) 555-0187')
    expect(await rows("SELECT 1 FROM recipient WHERE name LIKE 'Late%'")).toEqual([])
    expect((await back.see(path)).html).not.toContain(warning)
  })

  test('comes back over the row as it is now, and can be saved', async () => {
    const id = await makeRecipient()
    const path = `/admin/recipients/${id}/`
    const back = await sendLate(path, { name: 'Grace Hopper', description: '', is_contact_by_phone: '1' })
    const { html } = await back.see(path)
    expect(html).toContain(warning)
    expect(inputValue(html, 'name')).toBe('Grace Hopper')
    const saved = await back.submit(path, {
      was: inputValue(html, 'was') ?? '',
      act: 'save',
      name: 'Grace Hopper',
      is_contact_by_phone: '1',
    })
    expect(saved.status).toBe(303)
    expect(await rows(`SELECT name FROM recipient WHERE id = ${id}`)).toEqual([{ name: 'Grace Hopper' }])
  })
})

describe('adding', () => {
  test('saves a recipient with a contact in one form', async () => {
    await staff.see('/admin/recipients/add/')
    const answer = await staff.submit('/admin/recipients/add/', {
      name: 'Ada',
      description: 'First',
      is_contact_by_phone: '1',
      'contacts-new-kind': 'phone',
      'contacts-new-address': '(212) 555-0101',
      'contacts-new-is_enabled': '1',
    })
    expect(answer.status).toBe(303)
    const [made] = await rows<{ id: number; name: string; address: string }>(
      "SELECT r.id, r.name, c.address FROM recipient r JOIN contact c ON c.recipient_id = r.id WHERE r.name = 'Ada'",
    )
    expect(made).toMatchObject({ name: 'Ada', address: '+12125550101' })
    expect(answer.headers.get('location')).toBe(`/admin/recipients/${made?.id}/`)
    expect(await lastEntry()).toMatchObject({
      act: 'added',
      table_name: 'recipient',
      row_key: String(made?.id),
      title: 'Ada',
      before: null,
      who: admin.username,
      user_id: admin.id,
    })
    const { html } = await staff.see(`/admin/recipients/${made?.id}/`)
    expect(html).toContain('Ada was added.')
    expect(inputValue(html, `contacts-[0-9]+-address`)).toBe('+12125550101')
  })

  test('shows an error at its field, and loses nothing typed', async () => {
    await staff.see('/admin/recipients/add/')
    const answer = await staff.submit('/admin/recipients/add/', {
      name: '',
      description: 'kept <b>words</b>',
      is_contact_by_phone: '0',
      'contacts-new-kind': 'phone',
      'contacts-new-address': '12',
    })
    expect(answer.status).toBe(422)
    const html = await answer.text()
    expect(html).toContain('This field is required.')
    expect(html).toContain('kept &lt;b&gt;words&lt;/b&gt;')
    expect(html).toContain('href="#name"')
  })
})

test('a setting can be changed and changed back', async () => {
  await rows('DELETE FROM setting')
  const answer = await change('/admin/settings/school_timeout_ms/', { value: '1500' })
  expect(answer.status, await answer.clone().text()).toBe(303)
  expect(await rows('SELECT name, value FROM setting')).toEqual([{ name: 'school_timeout_ms', value: '1500' }])
  expect(await lastEntry()).toMatchObject({ act: 'changed', before: '{"value":10000}', after: '{"value":1500}' })
  const { html } = await staff.see('/admin/settings/school_timeout_ms/delete/')
  const gone = await remove('settings', 'school_timeout_ms', html)
  expect(gone.status).toBe(303)
  expect(await rows('SELECT name FROM setting')).toEqual([])
})

test('a recipient is deleted together with everything that refers to it', async () => {
  const id = await makeRecipient([{ kind: 'email', address: 'goes@example.com' }])
  const { html } = await staff.see(`/admin/recipients/${id}/delete/`)
  expect(html).toContain('email goes@example.com')
  const gone = await remove('recipients', String(id), html)
  expect(gone.status).toBe(303)
  expect(await rows('SELECT id FROM recipient WHERE id = ?', id)).toEqual([])
  for (const path of [
    '/admin/',
    '/admin/recipients/',
    '/admin/audit/',
    `/admin/recipients/${id}/history/`,
    '/admin/settings/',
  ]) {
    const seen = await staff.see(path)
    expect(seen.response.status, path).toBe(200)
    expect(withoutKeys(seen.html), path).not.toContain('<script type="module"')
  }
})

test('a server with many long notes is saved, although its form is large', async () => {
  const desk = await Desk.open()
  const server = await makeServer({ name: 'Notes' })
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
     INSERT INTO invite (code, server_id, state, privacy_level, notes_md, created_at, due_at)
     SELECT 'notes' || i, ?, 'rejected', 'public', ?, 0, 0 FROM n`,
    server.id,
    '課'.repeat(255),
  )
  const saved = await desk.change('servers', server.id, { custom_title: 'Many notes' })
  expect([saved.status, saved.text]).toEqual([303, expect.stringContaining('Notes was saved.')])
})

test('a form says that it may not show all rows of another table', async () => {
  const desk = await Desk.open()
  const server = await makeServer({ name: 'Busy' })
  const page = `servers/${server.id}/`
  expect((await desk.see(page)).text).not.toContain('are shown here')
  await rows(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
     INSERT INTO invite (code, server_id, state, privacy_level, created_at, due_at)
     SELECT 'busy' || i, ?, 'rejected', 'public', 0, 0 FROM n`,
    server.id,
  )
  expect((await desk.see(page)).text).toContain('At most 100 are shown here.')
})
