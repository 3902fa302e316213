import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { adminTables } from '../../src/admin/tables.ts'
import { withoutLinks } from '../../src/accounts/mails/links.ts'
import type { Desk } from '../worker/admin-desk.ts'
import { makeAnotherSection, makeGroup, makeRecipient } from '../worker/catalog.ts'
import { addPerson, makeServer } from '../worker/directory.ts'
import { deleteAllAccounts } from '../worker/discord-people.ts'
import { mailTo, writtenTo } from '../worker/mailbox.ts'
import { one, rows } from '../worker/rows.ts'
import { asked, changeForm, confirm, confirmPath, deskWithLoginAge, ageLogin, isSuperuser } from '../worker/step-up.ts'
import { addUser } from '../worker/visitor.ts'

/** Changes to who may log in and what they may do need a recent login, and the people concerned are notified. */

let other: { id: number; username: string; email: string }

beforeAll(async () => {
  await deleteAllAccounts()
  other = await addUser({ isSuperuser: true })
})
afterEach(async () => {
  // Each act is mailed to every superuser; earlier tests' superusers are deleted to keep this short.
  await rows('UPDATE user SET is_superuser = 0 WHERE id <> ?', other.id)
})

interface Way {
  /** Path and form; `key` is the row's, `user` is the affected user's. */
  form(desk: Desk, row: { key: number; user: number }): Promise<{ path: string; fields: Record<string, string> }>
  table: 'users' | 'chat-users'
  isDone(row: { key: number; user: number }): Promise<boolean>
  /** Expected in the emails. */
  said: string
}

const action =
  (table: string, act: string): Way['form'] =>
  async (_, { key }) => ({
    path: `/admin/${table}/act/`,
    fields: { act, key: String(key), confirmed: '1' },
  })
const edit =
  (table: string, fields: Record<string, string>): Way['form'] =>
  async (desk, { key }) => ({
    path: `/admin/${table}/${key}/`,
    fields: await changeForm(desk, `/admin/${table}/${key}/`, fields),
  })
const removal =
  (table: string): Way['form'] =>
  async (desk, { key }) => {
    const { was } = await changeForm(desk, `/admin/${table}/${key}/delete/`, {})
    return { path: `/admin/${table}/act/`, fields: { act: 'delete', key: String(key), confirmed: '1', was } }
  }
const roleIs =
  (role: string) =>
  async ({ key }: { key: number }) =>
    (await rows('SELECT 1 FROM discord_user WHERE id = ? AND role = ?', key, role)).length === 1
const isGone =
  (table: string) =>
  async ({ key }: { key: number }) =>
    (await rows(`SELECT 1 FROM ${table} WHERE id = ?`, key)).length === 0

const ways: Record<string, Way> = {
  'an action that makes a superuser': {
    table: 'users',
    form: action('users', 'make_superuser'),
    isDone: ({ user }) => isSuperuser(user),
    said: 'Make superuser: ',
  },
  'the tick of a superuser': {
    table: 'users',
    form: edit('users', { is_superuser: '1' }),
    isDone: ({ user }) => isSuperuser(user),
    said: 'Superuser: no → yes',
  },
  'an address added for somebody': {
    table: 'users',
    form: async (desk, row) =>
      edit('users', {
        'addresses-new-address': `intruder${row.key}@evil.example`,
        'addresses-new-is_verified': '1',
        'addresses-new-is_primary': '1',
      })(desk, row),
    isDone: async ({ user }) => {
      const email = `intruder${user}@evil.example`
      return (await rows('SELECT 1 FROM user WHERE id = ? AND email = ?', user, email)).length === 1
    },
    said: ' at evil dot example',
  },
  'a new user name': {
    table: 'users',
    form: async (desk, row) => edit('users', { username: `renamed${row.key}` })(desk, row),
    isDone: async ({ user }) =>
      (await rows("SELECT 1 FROM user WHERE id = ? AND username LIKE 'renamed%'", user)).length === 1,
    said: 'Username: ',
  },
  'disabling somebody': {
    table: 'users',
    form: action('users', 'disable'),
    isDone: async ({ user }) => (await rows('SELECT 1 FROM user WHERE id = ? AND NOT is_active', user)).length === 1,
    said: 'Disable: ',
  },
  'a password link': {
    table: 'users',
    form: action('users', 'mail_link'),
    isDone: async ({ user }) =>
      (await rows("SELECT 1 FROM mail WHERE user_id = ? AND kind = 'password_reset'", user)).length === 1,
    said: 'Email a password link: ',
  },
  'turning off the second factor': {
    table: 'users',
    form: async (desk, row) => {
      await rows(
        "INSERT INTO two_factor (user_id, sealed_keys, last_step, activated_at) VALUES (?, 'sealed', 0, 0)",
        row.key,
      )
      return action('users', 'turn_off_two_factor')(desk, row)
    },
    isDone: async ({ user }) => (await rows('SELECT 1 FROM two_factor WHERE user_id = ?', user)).length === 0,
    said: 'Turn off two-factor authentication: ',
  },
  'deleting a user': { table: 'users', form: removal('users'), isDone: isGone('user'), said: 'Deleted user: ' },
  'a role by an action': {
    table: 'chat-users',
    form: action('chat-users', 'make_manager'),
    isDone: roleIs('manager'),
    said: 'Make manager: ',
  },
  'a role in a form': {
    table: 'chat-users',
    form: edit('chat-users', { role: 'manager' }),
    isDone: roleIs('manager'),
    said: 'Role: Regular user → Manager',
  },
  'taking a login method away': {
    table: 'chat-users',
    form: removal('chat-users'),
    isDone: isGone('discord_user'),
    said: 'Deleted chat user: ',
  },
}

async function rowFor({ table }: Way): Promise<{ key: number; user: number; email: string }> {
  if (table === 'users') {
    const { id, email } = await addUser()
    return { key: id, user: id, email }
  }
  const person = await addPerson()
  const { email } = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', person.id)
  return { key: person.discordUserId, user: person.id, email }
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  test('waits for the password in an older session, is carried out as it was sent, and is reported by email', async () => {
    const desk = await deskWithLoginAge(301)
    const row = await rowFor(way)
    const { path, fields } = await way.form(desk, row)

    const call = await desk.visitor.call('POST', path, fields)
    expect([call.status, await call.json()]).toEqual([403, [expect.stringContaining('Confirm access first')]])
    const answer = await desk.visitor.submit(path, fields)
    const next = await asked(Promise.resolve({ status: answer.status, location: answer.headers.get('location') }))
    expect(next.replace(/\?form=[\w-]+$/, '')).toBe(path)
    expect(await way.isDone(row)).toBe(false)
    expect(await writtenTo(row.email)).toEqual([])

    expect((await confirm(desk.visitor, next, { password: 'a wrong password' })).status).toBe(422)
    expect(await way.isDone(row)).toBe(false)
    const done = await confirm(desk.visitor, next)
    expect([done.status, await way.isDone(row)]).toEqual([303, true])

    expect(await writtenTo(row.email)).toContain('admin_change')
    for (const superuser of [other, desk.user]) {
      const { email } = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', superuser.id)
      const { text } = await mailTo(email, 'A Sensitive Change in the Admin')
      if (superuser !== desk.user) continue
      expect(text).toContain(way.said)
      expect(text).toContain(`By: ${desk.user.username}`)
      expect(text).toMatch(/When: 20\d\d-\d\d-\d\d \d\d:\d\d UTC/)
      expect(text).not.toMatch(/https?:|www\./)
    }
    const own = await mailTo(row.email, 'Your Account Was Changed by an Administrator')
    expect(own.text).toContain(`By: ${desk.user.username}`)
    expect(own.text).not.toMatch(/https?:|www\./)
  })

  test('is carried out at once in a recent session', async () => {
    const desk = await deskWithLoginAge(290)
    const row = await rowFor(way)
    const { path, fields } = await way.form(desk, row)
    expect((await desk.visitor.submit(path, fields)).headers.get('location')).not.toContain(confirmPath)
    expect(await way.isDone(row)).toBe(true)
    expect(await writtenTo(row.email)).toContain('admin_change')
  })
})

describe('adding', () => {
  test('a user waits for the password, and every superuser is notified', async () => {
    const desk = await deskWithLoginAge(301)
    const fields = {
      username: 'stepped.up',
      is_superuser: '1',
      is_active: '1',
      'addresses-new-address': 'up@example.org',
    }
    const next = await asked(desk.add('users', fields))
    expect(await rows("SELECT 1 FROM user WHERE username = 'stepped.up'")).toEqual([])
    await confirm(desk.visitor, next)
    expect(await rows("SELECT is_superuser FROM user WHERE username = 'stepped.up'")).toEqual([{ is_superuser: 1 }])
    const { email } = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', desk.user.id)
    expect((await mailTo(email, 'Sensitive')).text).toContain('Added user stepped dot up')
  })

  test('a login method waits for the password, and its user is notified', async () => {
    const desk = await deskWithLoginAge(301)
    const user = await addUser()
    const fields = {
      user_id: String(user.id),
      display_name: 'Mine',
      username: 'mine',
      discord_id: '1180000000000000777',
      role: 'regular',
    }
    const next = await asked(desk.add('chat-users', fields))
    expect(await rows('SELECT 1 FROM discord_user WHERE user_id = ?', user.id)).toEqual([])
    await confirm(desk.visitor, next)
    expect(await rows('SELECT username FROM discord_user WHERE user_id = ?', user.id)).toEqual([{ username: 'mine' }])
    expect(await writtenTo(user.email)).toEqual(['admin_change'])
  })
})

describe('every other guarded action', () => {
  interface Case {
    act: string
    make(): Promise<{ key: number; email: string; isNotified: boolean }>
  }
  const userWith =
    (sql: string, isNotified = true) =>
    async () => {
      const { id, email } = await addUser()
      await rows(sql, id)
      return { key: id, email, isNotified }
    }
  const discordUserWith = (sql: string) => async () => {
    const person = await addPerson()
    await rows(sql, person.discordUserId)
    const { email } = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', person.id)
    return { key: person.discordUserId, email, isNotified: true }
  }
  const cases: Record<string, Case[]> = {
    users: [
      { act: 'unmake_superuser', make: userWith('UPDATE user SET is_superuser = 1 WHERE id = ?') },
      { act: 'enable', make: userWith('UPDATE user SET is_active = 0 WHERE id = ?') },
      // Nothing is sent to an unconfirmed address.
      {
        act: 'verify',
        make: async () => {
          const { id, email } = await addUser()
          await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', id)
          await rows('UPDATE user SET email_verified_at = NULL WHERE id = ?', id)
          return { key: id, email, isNotified: false }
        },
      },
    ],
    'chat-users': [
      { act: 'make_regular', make: discordUserWith("UPDATE discord_user SET role = 'manager' WHERE id = ?") },
      { act: 'disable', make: discordUserWith('UPDATE discord_user SET is_disabled = 0 WHERE id = ?') },
      { act: 'enable', make: discordUserWith('UPDATE discord_user SET is_disabled = 1 WHERE id = ?') },
    ],
    servers: [
      {
        act: 'feature',
        make: async () => ({ key: (await makeServer()).id, email: '', isNotified: false }),
      },
    ],
  }

  test.each(Object.entries(cases).flatMap(([table, list]) => list.map((one) => [table, one.act, one] as const)))(
    'of %s: %s',
    async (table, act, { make }) => {
      const desk = await deskWithLoginAge(301)
      const { key, email, isNotified } = await make()
      const next = await asked(desk.act(table, act, key))
      expect((await confirm(desk.visitor, next)).status).toBe(303)
      expect(await writtenTo(email)).toEqual(isNotified ? ['admin_change'] : [])
      const own = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', desk.user.id)
      expect(await writtenTo(own.email)).toEqual(['admin_change'])
    },
  )

  test('is covered by these tests', () => {
    const tested = [
      'make_superuser',
      'disable',
      'mail_link',
      'turn_off_two_factor',
      'make_manager',
      ...Object.values(cases)
        .flat()
        .map(({ act }) => act),
    ]
    const guarded = [...adminTables.values()].flatMap(({ actions }) => actions.filter(({ isGuarded }) => isGuarded))
    expect(guarded.map(({ name }) => name).filter((name) => !tested.includes(name))).toEqual([])
    const open = (adminTables.get('users')?.actions ?? []).filter(({ isGuarded }) => !isGuarded)
    expect(open.map(({ name }) => name)).toEqual(['end_sessions'])
  })
})

test('adding a server as trusted requires a recent login; other servers do not', async () => {
  const desk = await deskWithLoginAge(301)
  const { id } = await makeServer()
  await asked(desk.change('servers', id, { is_required_for_trust: '1' }))
  expect(await rows('SELECT 1 FROM discord_server WHERE id = ? AND is_required_for_trust', id)).toEqual([])
  expect((await desk.change('servers', id, { custom_title: 'Another title' })).location).toBe(`/admin/servers/${id}/`)
  const fields = { name: 'Added', server_id: '1160000000000000123', privacy_level: 'public', is_active: '1' }
  await asked(desk.add('servers', { ...fields, is_required_for_trust: '1' }))
  expect((await desk.add('servers', { ...fields, is_required_for_trust: '0' })).location).toMatch(
    /^\/admin\/servers\/\d+\/$/,
  )
})

test('a setting waits: one deletes what is old, others lift limits', async () => {
  const desk = await deskWithLoginAge(301)
  const value = () => rows<{ value: string }>("SELECT value FROM setting WHERE name = 'keep_alerts_days'")
  const next = await asked(desk.change('settings', 'keep_alerts_days', { value: '61' }))
  expect(await value()).toEqual([])
  await confirm(desk.visitor, next)
  expect(await value()).toEqual([{ value: '61' }])
  await ageLogin(desk, 301)
  const back = await asked(desk.delete('settings', 'keep_alerts_days'))
  expect(await value()).toEqual([{ value: '61' }])
  await confirm(desk.visitor, back)
  expect(await value()).toEqual([])
})

test('a delete that was sent to the address of its page before a deployment is asked about again', async () => {
  const desk = await deskWithLoginAge(301)
  await rows("INSERT INTO setting (name, value, changed_at) VALUES ('keep_alerts_days', '61', 0)")
  const next = await asked(desk.delete('settings', 'keep_alerts_days'))
  const page = '/admin/settings/keep_alerts_days/delete/'
  const former = next.replace('/admin/settings/act/', page)
  await rows('UPDATE waiting_form SET path = ? WHERE path = ?', former, next)
  const answer = await confirm(desk.visitor, former)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, page])
  expect(await rows("DELETE FROM setting WHERE name = 'keep_alerts_days' RETURNING value")).toEqual([{ value: '61' }])
})

test('a delete from a page that was open during a deployment is asked about again', async () => {
  const desk = await deskWithLoginAge(0)
  const recipient = await makeRecipient()
  const page = `/admin/recipients/${recipient}/delete/`
  const answer = await desk.visitor.submit(page, {})
  expect([answer.status, answer.headers.get('location')]).toEqual([303, page])
  expect(await rows('SELECT 1 FROM recipient WHERE id = ?', recipient)).toHaveLength(1)
})

describe('deleting several rows', () => {
  test('of any table waits for the password, and every superuser is notified', async () => {
    const desk = await deskWithLoginAge(301)
    const doomed = [await makeRecipient(), await makeRecipient()]
    const form = new URLSearchParams({ csrf_token: desk.visitor.csrfToken, act: 'delete', confirmed: '1' })
    for (const key of doomed) form.append('key', String(key))
    const answer = await desk.visitor.fetch('/admin/recipients/act/', {
      method: 'POST',
      headers: { origin: desk.visitor.origin, accept: 'text/html' },
      body: form,
    })
    const next = await asked(Promise.resolve({ status: answer.status, location: answer.headers.get('location') }))
    const left = () => rows('SELECT 1 FROM recipient WHERE id IN (?, ?)', ...doomed)
    expect(await left()).toHaveLength(2)
    await confirm(desk.visitor, next)
    expect(await left()).toEqual([])
    const { email } = await one<{ email: string }>('SELECT email FROM user WHERE id = ?', desk.user.id)
    expect((await mailTo(email, 'Sensitive')).text).toContain('Deleted 2 recipients')
  })

  test('of one row does not, unless many others are deleted with it', async () => {
    const desk = await deskWithLoginAge(301)
    const small = await makeRecipient()
    expect((await desk.delete('recipients', small)).location).toBe('/admin/recipients/')
    const large = await makeRecipient()
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 102)
       INSERT INTO contact (recipient_id, kind, address, address_key, created_at)
       SELECT ?, 'email', i || '@large.example', i || '@large.example', 0 FROM n`,
      large,
    )
    // What is kept does not count.
    const [contact] = await rows<{ id: number }>('SELECT id FROM contact WHERE recipient_id = ? LIMIT 1', large)
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
       INSERT INTO delivery (poll_id, recipient_id, contact_id, channel, address, state, due_at, created_at)
       SELECT 'kept ' || i, ?, ?, 'email', 'x', 'sent', 0, 0 FROM n`,
      large,
      contact?.id,
    )
    expect((await desk.delete('contacts', contact?.id ?? 0)).location).toBe('/admin/contacts/')
    const next = await asked(desk.delete('recipients', large))
    expect(await rows('SELECT 1 FROM recipient WHERE id = ?', large)).toHaveLength(1)
    await confirm(desk.visitor, next)
    expect(await rows('SELECT 1 FROM recipient WHERE id = ?', large)).toEqual([])
  })

  test('of one row does when it deletes many sections, or many people would no longer be notified of a seat', async () => {
    const desk = await deskWithLoginAge(301)
    const group = await makeGroup()
    const watched = await makeAnotherSection(await makeGroup())
    await makeAnotherSection(group)
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
       INSERT INTO section (school_term_id, group_id, course_id, section_key, section, topic, status, instruction_list,
         instruction_mode, fingerprint, created_at)
       SELECT school_term_id, group_id, course_id, 'many ' || i, section, topic, status, instruction_list, instruction_mode,
         fingerprint, created_at FROM section, n WHERE group_id = ?`,
      group.group_id,
    )
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)
       INSERT INTO recipient (name, created_at) SELECT 'Waiting ' || i, 0 FROM n`,
    )
    await rows(
      `INSERT INTO watch (recipient_id, section_id, created_at, is_new)
       SELECT id, ?, 0, 0 FROM recipient WHERE name LIKE 'Waiting %'`,
      watched,
    )
    const large = [
      ['sources', group.source_id],
      ['schools', group.school_id],
      ['school-terms', group.school_term_id],
      ['subjects', group.subject_id],
      ['sections', watched],
    ] as const
    for (const [table, key] of large) {
      const { status, location } = await desk.delete(table, key)
      expect([table, status, location]).toEqual([
        table,
        303,
        expect.stringContaining(`${confirmPath}?next=%2Fadmin%2F`),
      ])
    }
    expect(await rows('SELECT 1 FROM section WHERE group_id = ?', group.group_id)).toHaveLength(101)
    expect(await rows('SELECT 1 FROM watch WHERE section_id = ?', watched)).toHaveLength(101)
  })
})

describe('what is not guarded', () => {
  test('works in an older session, and no email is sent', async () => {
    const desk = await deskWithLoginAge(3000)
    const recipient = await makeRecipient()
    expect((await desk.change('recipients', recipient, { name: 'Renamed' })).location).toContain('/admin/recipients/')
    const user = await addUser()
    expect((await desk.act('users', 'end_sessions', user.id)).location).toBe('/admin/users/')
    expect(await writtenTo(`${desk.user.username}@example.com`)).toEqual([])
  })

  test('an action that changes nothing sends no email', async () => {
    const desk = await deskWithLoginAge(0)
    const user = await addUser({ isSuperuser: true })
    await desk.act('users', 'make_superuser', user.id)
    await desk.act('users', 'enable', user.id)
    expect(await writtenTo(user.email)).toEqual([])
  })
})

test.each([
  ['www.evil-87.com', 'www dot evil-87 dot com'],
  ['a@b.co', 'a at b dot co'],
  ['https://evil.example/x', 'https evil dot example x'],
  ['evil。example', 'evil dot example'],
  ['Changed. Then', 'Changed. Then'],
])('nothing an email app links is left of %s', (text, shown) => {
  expect(withoutLinks(text)).toBe(shown)
})

test('names that people chose are spelled out in the emails', async () => {
  // Those who were promoted above would all get an email, and this one is behind theirs.
  await rows('UPDATE user SET is_superuser = 0 WHERE id <> ?', other.id)
  await rows('DELETE FROM mail')
  const desk = await deskWithLoginAge(0)
  const user = await addUser({ username: 'www.evil-87.com', email: 'x@evil-88.example' })
  await desk.act('users', 'make_superuser', user.id)
  const mail = await mailTo(user.email, 'Your Account Was Changed')
  expect(mail.text).toContain('www dot evil-87 dot com')
  for (const part of [mail.text, mail.html, mail.subject]) expect(part).not.toMatch(/evil-8\d\.|https?:\/\//)
  expect(env.APP_URL).not.toBe('')
})
