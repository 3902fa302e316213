import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { endSessions, makeSuperusers, unmakeSuperusers } from '../../src/accounts/admin/user-actions.ts'
import { whileSuperuser } from '../../src/accounts/owner.ts'
import { writerBetween } from '../../src/db/query.ts'
import { hashOf } from '../../src/web/security/signing.ts'
import { isLoggedIn, newcomer, logsIn, signUp } from '../worker/account-people.ts'
import { Desk } from '../worker/admin-desk.ts'
import { addPerson, makeServer } from '../worker/directory.ts'
import { watch } from '../worker/live-socket.ts'
import { linkIn, mailTo, writtenTo } from '../worker/mailbox.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, goodPassword, Visitor } from '../worker/visitor.ts'
import { until } from '../worker/world.ts'

const userRow = (id: number) =>
  one<{
    username: string
    email: string | null
    is_superuser: number
    is_active: number
    password_hash: string | null
  }>('SELECT username, email, is_superuser, is_active, password_hash FROM user WHERE id = ?', id)
const addressesOf = (id: number) =>
  rows<{ id: number; address: string; is_verified: number; is_primary: number }>(
    'SELECT id, address, verified_at IS NOT NULL AS is_verified, is_primary FROM email_address WHERE user_id = ? ORDER BY id',
    id,
  )
const gone = async (statement: string, ...values: unknown[]) => expect(await rows(statement, ...values)).toEqual([])

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

describe('user list', () => {
  test('searches by the start of a name or address, and filters by address and flags', async () => {
    const boss = await addUser({ username: 'Listed.Boss', isSuperuser: true })
    const off = await addUser({ username: 'listed-off', isActive: false })
    await rows(
      "INSERT INTO email_address (user_id, address, created_at) VALUES (?, 'elsewhere@second.example', 0)",
      off.id,
    )
    expect(await desk.titles('users/?q=LISTED')).toEqual(expect.arrayContaining(['Listed.Boss', 'listed-off']))
    expect(await desk.titles('users/?q=second.example')).toEqual(['listed-off'])
    const superusers = await desk.titles('users/?who=superusers')
    expect(superusers).toContain(boss.username)
    expect(superusers).not.toContain(off.username)
    expect(await desk.titles('users/?who=disabled')).toEqual(['listed-off'])
    expect(await desk.titles('users/?has=two_factor')).toEqual([])
  })
})

describe('adding a user', () => {
  test('creates an account whose owner sets the password through a mailed link', async () => {
    const said = await desk.add('users', {
      username: 'added.one',
      is_active: '1',
      'addresses-new-address': ' Added.One@example.org ',
      'addresses-new-is_verified': '1',
    })
    expect(said.text).toContain('A link to choose a password is on its way to Added.One@example.org')
    const { id } = await one<{ id: number }>("SELECT id FROM user WHERE username = 'added.one'")
    expect(said.location).toBe(`/admin/users/${id}/`)
    expect(await userRow(id)).toMatchObject({ email: 'Added.One@example.org', is_superuser: 0, password_hash: null })
    expect(await addressesOf(id)).toMatchObject([{ is_verified: 1, is_primary: 1 }])
    expect(await desk.entry('user')).toMatchObject({
      act: 'added',
      row_key: String(id),
      title: 'added.one',
      after: { username: 'added.one', is_active: 1, 'addresses-new-address': 'Added.One@example.org' },
    })

    const owner = new Visitor()
    const link = linkIn(await mailTo('Added.One@example.org', 'Your New Account'), '/accounts/password/reset/key/')
    const place = (await owner.get(link)).headers.get('location') ?? ''
    await owner.see(place)
    await owner.submit(place, { password1: 'a horse of my own', password2: 'a horse of my own' })
    expect(await logsIn('ADDED.ONE', 'a horse of my own')).toBe(true)
  })

  test('rejects what sign-up rejects, and returns the form as it was filled in', async () => {
    const taken = await addUser({ username: 'TakenName' })
    const add = (username: string, address: string, verified = '') =>
      desk.add('users', {
        username,
        'addresses-new-address': address,
        'addresses-new-is_verified': verified,
      })
    const users = await one('SELECT count(*) AS n FROM user')
    for (const [username, address, verified, why] of [
      ['takenname', 'free@example.org', '', 'A user with that username already exists.'],
      ['no spaces', 'free@example.org', '', 'A username has 1 to 150 letters, digits and . + - _ characters.'],
      ['free', 'not an address', '', 'Enter a valid email address.'],
      ['free', '', '', 'This field is required.'],
      ['', 'free@example.org', '', 'This field is required.'],
      ['free', taken.email.toUpperCase(), '1', 'Someone else has already verified this email address.'],
      ['free', ` ${taken.email.toUpperCase()} `, '', 'Someone else has already verified this email address.'],
    ] as const) {
      const said = await add(username, address, verified)
      expect([said.status, said.text.includes(why)], why).toEqual([422, true])
    }
    expect(await one('SELECT count(*) AS n FROM user')).toEqual(users)
    await gone("SELECT 1 FROM mail WHERE address = 'free@example.org'")
    const refused = await desk.visitor.submit('/admin/users/add/', {
      act: 'save',
      username: 'free',
      'addresses-new-address': taken.email,
    })
    expect(await refused.text()).toMatch(/addresses-new-address-error"[^]*?Someone else has already verified/)
    const unconfirmed = newcomer()
    await signUp(unconfirmed)
    expect((await add('free', unconfirmed.email)).text).toContain('free was added')
  })
})

describe('changing a user', () => {
  test('tells addresses apart as their own page and the database do', async () => {
    const user = await addUser()
    await desk.change('users', user.id, { 'addresses-new-address': 'École@example.net' })
    const said = await desk.change('users', user.id, { 'addresses-new-address': 'école@example.net' })
    expect(said.text).toContain('was saved')
  })

  test('writes names, flags and addresses together, with one primary address', async () => {
    const user = await addUser({ username: 'before.name' })
    const [first] = await addressesOf(user.id)
    const said = await desk.change('users', user.id, {
      username: 'after.name',
      'addresses-new-address': 'new@example.org',
      'addresses-new-is_verified': '1',
      'addresses-new-is_primary': '1',
    })
    expect(said.text).toContain('was saved')
    expect(await userRow(user.id)).toMatchObject({ username: 'after.name', email: 'new@example.org' })
    expect(await addressesOf(user.id)).toMatchObject([
      { id: first?.id, is_primary: 0 },
      { address: 'new@example.org', is_verified: 1, is_primary: 1 },
    ])
    expect(await desk.entry('user')).toMatchObject({
      act: 'changed',
      before: { username: 'before.name' },
      after: { username: 'after.name', 'addresses-new-address': 'new@example.org' },
    })
  })

  test('keeps a verified address verified, and always one verified primary address', async () => {
    const user = await addUser()
    const [address] = await addressesOf(user.id)
    const own = `addresses-${address?.id}`
    for (const [fields, why] of [
      [{ [`${own}-is_verified`]: '' }, 'A verified address cannot be unverified.'],
      [{ [`${own}-remove`]: '1' }, 'An account needs at least one email address.'],
      [
        { 'addresses-new-address': 'other@example.org', 'addresses-new-is_primary': '1' },
        'The primary email address must be verified.',
      ],
      [{ 'addresses-new-address': user.email.toUpperCase() }, 'already associated with this account.'],
    ] as const) {
      const said = await desk.change('users', user.id, fields)
      expect([said.status, said.text.includes(why)], why).toEqual([422, true])
    }
    expect(await addressesOf(user.id)).toEqual([address])
  })

  test('reports a row that changed after it was opened', async () => {
    const user = await addUser()
    const { html } = await desk.visitor.see(`/admin/users/${user.id}/`)
    const was = /name="was" value="([^"]*)"/.exec(html)?.[1] ?? ''
    await desk.change('users', user.id, { username: 'quicker' })
    const answer = await desk.visitor.submit(`/admin/users/${user.id}/`, { was, act: 'save', username: 'slower' })
    expect(answer.status).toBe(409)
    expect((await userRow(user.id)).username).toBe('quicker')
  })
})

describe('superusers', () => {
  test('can be granted and revoked, and both are audited', async () => {
    const [one_, two] = [await addUser(), await addUser()]
    const made = await desk.act('users', 'make_superuser', one_.id)
    expect(made.text).toContain('1 user made superuser.')
    expect(await one("SELECT after FROM audit WHERE table_name = 'user' ORDER BY id DESC LIMIT 1")).toEqual({
      after: '{"is_superuser":1}',
    })
    expect((await desk.act('users', 'make_superuser', one_.id)).text).toContain('0 users made superuser.')
    expect(await desk.entry('user')).toMatchObject({
      row_key: String(one_.id),
      before: { is_superuser: 0 },
      after: { is_superuser: 1 },
    })
    await desk.change('users', two.id, { is_superuser: '1' })
    await desk.change('users', one_.id, { is_superuser: '' })
    expect([(await userRow(one_.id)).is_superuser, (await userRow(two.id)).is_superuser]).toEqual([0, 1])
    expect((await desk.act('users', 'unmake_superuser', two.id)).text).toContain('1 user no longer superuser.')
    expect((await userRow(two.id)).is_superuser).toBe(0)
  })

  test('cannot lock themselves out by form, action or delete', async () => {
    const own = desk.user.id
    const stays = { is_superuser: 1, is_active: 1 }
    for (const [said, why] of [
      [await desk.change('users', own, { is_superuser: '' }), 'You cannot remove your own superuser rights.'],
      [await desk.change('users', own, { is_active: '' }), 'You cannot disable your own account.'],
      [await desk.delete('users', own), 'You cannot delete your own account.'],
      [await desk.act('users', 'unmake_superuser', own), 'You cannot remove your own superuser rights.'],
      [await desk.act('users', 'disable', own), 'You cannot disable your own account.'],
      [await desk.act('users', 'delete', own), 'You cannot delete your own account.'],
    ] as const) {
      expect(said.text).toContain(why)
      expect(await userRow(own)).toMatchObject(stays)
    }
  })

  test('keep one superuser when two demote each other at the same moment', async () => {
    for (const [first, second] of [
      ['unmake_superuser', 'unmake_superuser'],
      ['disable', 'unmake_superuser'],
      ['delete', 'disable'],
    ] as const) {
      const [ann, bob] = [await Desk.open(), await Desk.open()]
      await Promise.all([ann.act('users', first, bob.user.id), bob.act('users', second, ann.user.id)].map(settled))
      const left = await rows<{ id: number }>(
        'SELECT id FROM user WHERE id IN (?, ?) AND is_superuser AND is_active',
        ann.user.id,
        bob.user.id,
      )
      expect(left, `${first} ${second}`).toHaveLength(1)
    }
  })

  test.each([
    ['were logged out', 'DELETE FROM session WHERE user_id = ?'],
    ['were demoted', 'UPDATE user SET is_superuser = 0 WHERE id = ?'],
    ['were disabled', 'UPDATE user SET is_active = 0 WHERE id = ?'],
  ])('change nothing if they %s before the batch runs', async (_ended, sql) => {
    const [{ user: late }, victim, stranger] = [
      await Desk.open(),
      await addUser({ isSuperuser: true }),
      await addUser(),
    ]
    const { id_hash: idHash } = await one<{ id_hash: string }>('SELECT id_hash FROM session WHERE user_id = ?', late.id)
    await rows(sql, late.id)
    const act = (key: number) => ({
      keys: [key],
      values: {},
      actor: { userId: late.id, who: late.username, ipAddress: null, country: null },
      now: Date.now(),
      write: writerBetween(env.DB, [whileSuperuser({ userId: late.id, idHash, confirmedAt: 0 })]),
    })
    await expect(unmakeSuperusers(env, act(victim.id))).rejects.toThrow('no longer a superuser')
    await expect(makeSuperusers(env, act(stranger.id))).rejects.toThrow('no longer a superuser')
    await expect(endSessions(env, act(victim.id))).rejects.toThrow('no longer a superuser')
    expect([(await userRow(victim.id)).is_superuser, (await userRow(stranger.id)).is_superuser]).toEqual([1, 0])
    await gone('SELECT 1 FROM audit WHERE user_id = ?', late.id)
  })

  test('lose their live connections at once when disabled or demoted', async () => {
    for (const end of ['disable', 'unmake_superuser']) {
      const other = await Desk.open()
      const socket = await watch(other.visitor, 'queue=polls')
      await desk.act('users', end, other.user.id)
      expect(await socket.ended()).toBeGreaterThan(0)
    }
  })
})

describe('sessions', () => {
  const recordOf = async (visitor: Visitor) =>
    env.SESSIONS.get(`session:${await hashOf(visitor.cookies.get('session') ?? '')}`)

  test.each(['form', 'action'])('end at once when the %s disables their user', async (way) => {
    const user = await addUser()
    const browsers = [await Visitor.loggedInAs(user), await Visitor.loggedInAs(user)]
    const said =
      way === 'form'
        ? await desk.change('users', user.id, { is_active: '' })
        : await desk.act('users', 'disable', user.id)
    expect(said.text).toContain(way === 'form' ? 'was saved' : '1 user disabled and logged out everywhere.')
    await gone('SELECT 1 FROM session WHERE user_id = ?', user.id)
    for (const browser of browsers) {
      expect(await isLoggedIn(browser)).toBe(false)
      await until(
        () => recordOf(browser),
        (record) => record === null,
        'the end of its record',
      )
    }
    expect(await logsIn(user.username, goodPassword)).toBe(false)
    await desk.act('users', 'enable', user.id)
    expect(await logsIn(user.username, goodPassword)).toBe(true)
  })

  test('can all be ended without disabling the user', async () => {
    const user = await addUser()
    const browsers = [await Visitor.loggedInAs(user), await Visitor.loggedInAs(user)]
    expect((await desk.act('users', 'end_sessions', user.id)).text).toContain('2 sessions were ended.')
    for (const browser of browsers) expect(await isLoggedIn(browser)).toBe(false)
    expect(await desk.entry('user')).toMatchObject({
      act: 'logged out',
      before: { sessions: 2 },
      after: { sessions: 0 },
    })
    expect(await logsIn(user.username, goodPassword)).toBe(true)
  })
})

describe('what an action says', () => {
  test('counts users, and not the recovery codes and begun logins that go with them', async () => {
    const user = await addUser()
    await rows("INSERT INTO two_factor (user_id, sealed_keys, last_step, activated_at) VALUES (?, 'x', 0, 0)", user.id)
    await rows(
      "INSERT INTO recovery_code (user_id, code_hash) SELECT ?, value FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]')",
      user.id,
    )
    const saidBy = {
      disable: '1 user disabled and logged out everywhere.',
      enable: '1 user enabled.',
      turn_off_two_factor: 'Two-factor authentication turned off for 1 user.',
    }
    for (const [act, said] of Object.entries(saidBy)) {
      await rows(
        "INSERT INTO second_step (id_hash, user_id, way, created_at, expires_at) VALUES (?, ?, '{}', 0, 9e15)",
        act,
        user.id,
      )
      expect((await desk.act('users', act, user.id)).text).toContain(said)
    }
    await gone('SELECT 1 FROM recovery_code WHERE user_id = ?', user.id)
  })
})

describe('addresses and links', () => {
  test('verifies a primary address unless someone else has verified it', async () => {
    const owner = await addUser()
    const [claims, free] = [await addUser({ email: owner.email.toUpperCase() }).catch(() => null), await addUser()]
    expect(claims).toBe(null)
    await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', free.id)
    expect((await desk.act('users', 'verify', free.id)).text).toContain('1 address verified.')
    expect(await addressesOf(free.id)).toMatchObject([{ is_verified: 1 }])
    expect(await desk.entry('user')).toMatchObject({ act: 'verified', after: { email: free.email, is_verified: 1 } })
    expect((await desk.act('users', 'verify', free.id)).text).toContain('The primary address is already verified.')

    const late = await addUser()
    await rows('UPDATE email_address SET verified_at = NULL, address = ? WHERE user_id = ?', owner.email, late.id)
    const question = await desk.visitor.read(
      await desk.visitor.submit('/admin/users/act/', { act: 'verify', key: String(late.id) }),
    )
    const skipped = `${owner.email} stays unverified for ${late.username}, because someone else has or gets it.`
    expect(question.html).toContain(skipped)
    expect(question.html).not.toContain('will be verified')
    expect((await desk.act('users', 'verify', late.id)).text).toContain(
      'Someone else has already verified this email address',
    )
    const [address] = await addressesOf(late.id)
    const said = await desk.change('users', late.id, { [`addresses-${address?.id}-is_verified`]: '1' })
    expect([said.status, said.text.includes('Someone else has already verified this email address')]).toEqual([
      422,
      true,
    ])
    expect(await addressesOf(late.id)).toMatchObject([{ is_verified: 0 }])
  })

  test('emails a password link, but not to disabled users', async () => {
    const [user, off] = [await addUser(), await addUser({ isActive: false })]
    expect((await desk.act('users', 'mail_link', user.id)).text).toContain('1 link is on its way.')
    expect(linkIn(await mailTo(user.email, 'Password Reset'), '/accounts/password/reset/key/')).toContain('key/')
    expect(await desk.entry('user')).toMatchObject({ act: 'mailed a password link', row_key: String(user.id) })
    expect((await desk.act('users', 'mail_link', off.id)).text).toContain('Links can be sent only to enabled users')
  })

  test('emails no password link to an address that someone else has verified: it would never work', async () => {
    const [user, owner] = [await addUser(), await addUser()]
    await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', user.id)
    await rows(
      'INSERT INTO email_address (user_id, address, verified_at, created_at) VALUES (?, ?, 1, 0)',
      owner.id,
      user.email,
    )
    const why = 'Links can be sent only to enabled users with an email address that no one else has verified.'
    expect((await desk.act('users', 'mail_link', user.id)).text).toContain(why)
    expect(await writtenTo(user.email)).toEqual([])
  })
})

describe('deleting a user', () => {
  test('lists what is deleted along with them and ends sessions at once', async () => {
    const person = await addPerson()
    const visitor = await Visitor.loggedInAs(person)
    await rows(
      "INSERT INTO referral (code, owner_id, max_uses, expiry_timeframe, created_at) VALUES ('goes-along', ?, 20, '1w', 0)",
      person.discordUserId,
    )
    const { id: server } = await makeServer()
    await rows(
      "INSERT INTO invite_decision (invite_id, decided_by, decision, created_at) SELECT id, ?, 'approved', 0 FROM invite WHERE server_id = ?",
      person.discordUserId,
      server,
    )
    await rows(
      "INSERT INTO server_report (server_id, reporter_id, reason, created_at, handled_at, handled_by) VALUES (?, ?, 'Spam', 0, 0, ?)",
      server,
      (await addPerson()).discordUserId,
      person.discordUserId,
    )
    const said = await desk.delete('users', person.id)
    for (const words of [
      'Email addresses : 1',
      'Sessions : 1',
      person.name,
      'Referrals : 1',
      'kept, without the reviewer',
      'kept, without who handled it',
    ])
      expect(said.asked).toContain(words)
    expect(said.text).toContain('was deleted')
    expect(await isLoggedIn(visitor)).toBe(false)
    await gone('SELECT 1 FROM discord_user WHERE id = ?', person.discordUserId)
    await gone("SELECT 1 FROM referral WHERE code = 'goes-along'")
    expect(await desk.entry('user')).toMatchObject({ act: 'deleted', row_key: String(person.id) })
  })
})

test('no secret appears on a page, in an export or in the audit log', async () => {
  const person = await addPerson()
  const visitor = await Visitor.loggedInAs(person)
  const secrets = [
    (await userRow(person.id)).password_hash ?? '',
    await hashOf(visitor.cookies.get('session') ?? ''),
    'sealed-tokens-of-discord',
    'sealed-keys-of-two-factor',
    'hash-of-a-recovery-code',
  ]
  await rows("UPDATE discord_user SET sealed_tokens = 'sealed-tokens-of-discord' WHERE id = ?", person.discordUserId)
  await rows("INSERT INTO two_factor VALUES (?, 'sealed-keys-of-two-factor', 0, 0)", person.id)
  await rows("INSERT INTO recovery_code (user_id, code_hash) VALUES (?, 'hash-of-a-recovery-code')", person.id)
  const pages = [
    'users/',
    `users/${person.id}/`,
    `users/${person.id}/delete/`,
    'chat-users/',
    `chat-users/${person.discordUserId}/`,
  ]
  for (const page of [...pages, 'users/export.csv', 'chat-users/export.csv']) {
    const answer = await desk.visitor.get(`/admin/${page}`)
    expect(answer.status, page).toBe(200)
    const text = await answer.text()
    for (const secret of secrets) expect(text, page).not.toContain(secret)
  }
  expect((await desk.see(`users/${person.id}/`)).text).toContain('Recovery codes left')
  await desk.change('chat-users', person.discordUserId, { role: 'manager' })
  await desk.act('users', 'end_sessions', person.id)
  const written = JSON.stringify(await rows('SELECT before, after FROM audit'))
  for (const secret of secrets) expect(written).not.toContain(secret)
})

async function settled(said: Promise<unknown>): Promise<void> {
  // Someone who lost their rights in between cannot open the page they are redirected to.
  await said.catch(() => null)
}
