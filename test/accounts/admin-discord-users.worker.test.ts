import { beforeAll, describe, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { addPerson, makeSchool } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { addUser, browserOf } from '../worker/visitor.ts'

const discordUserRow = (id: number) =>
  one<{ role: string; is_disabled: number; school_id: number | null }>(
    'SELECT role, is_disabled, school_id FROM discord_user WHERE id = ?',
    id,
  )

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

test('chat users can be searched by name, Discord id, role, school and state', async () => {
  const { school_id } = await makeSchool()
  const manager = await addPerson({ role: 'manager', school: school_id })
  const regular = await addPerson()
  const titleOf = ({ name }: { name: string }) => `${name} (${name.replace('Person ', 'person')})`
  expect(await desk.titles(`chat-users/?q=${manager.discord_id}`)).toEqual([titleOf(manager)])
  expect(await desk.titles(`chat-users/?q=${encodeURIComponent(manager.name.toUpperCase())}`)).toContain(
    titleOf(manager),
  )
  expect(await desk.titles('chat-users/?who=managers')).toEqual([titleOf(manager)])
  expect(await desk.titles(`chat-users/?school_id=${school_id}`)).toEqual([titleOf(manager)])
  await desk.act('chat-users', 'disable', regular.discordUserId)
  expect(await desk.titles('chat-users/?who=disabled')).toEqual([titleOf(regular)])
})

test('making a chat user a manager lets them review at once, and can be undone', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson({ school: school_id })
  const browser = await browserOf(person)
  const review = async () => (await browser.get('/classcords/unapproved-invites/')).status
  expect(await review()).toBe(403)
  expect((await desk.act('chat-users', 'make_manager', person.discordUserId)).text).toContain('1 chat user changed.')
  expect(await review()).toBe(200)
  expect(await desk.entry('discord_user')).toMatchObject({
    act: 'changed',
    row_key: String(person.discordUserId),
    before: { role: 'regular' },
    after: { role: 'manager' },
  })
  await desk.act('chat-users', 'make_regular', person.discordUserId)
  expect(await review()).toBe(403)
})

test('a disabled chat user counts as none until enabled again', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson({ role: 'manager', school: school_id })
  const browser = await browserOf(person)
  const hasDiscordUser = async () => (await browser.see('/')).data.context.user.discord_user !== null
  await desk.act('chat-users', 'disable', person.discordUserId)
  expect([await hasDiscordUser(), (await browser.get('/classcords/unapproved-invites/')).status]).toEqual([false, 403])
  await desk.act('chat-users', 'enable', person.discordUserId)
  expect([await hasDiscordUser(), (await browser.get('/classcords/unapproved-invites/')).status]).toEqual([true, 200])
})

test('only a school with subjects can be selected, at any time', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson()
  const { name } = await one<{ name: string }>('SELECT name FROM school WHERE id = ?', school_id)
  const found = await desk.change('chat-users', person.discordUserId, { 'school_id-search': name, school_id: '' })
  const several = found.status === 422
  if (several) await desk.change('chat-users', person.discordUserId, { school_id: String(school_id) })
  expect((await discordUserRow(person.discordUserId)).school_id).toBe(school_id)
  const empty = await one<{ id: number }>(
    "INSERT INTO school (source_id, code, name) SELECT source_id, 'without-subjects', 'Without Subjects' FROM school LIMIT 1 RETURNING id",
  )
  const said = await desk.change('chat-users', person.discordUserId, { school_id: String(empty.id) })
  expect([said.status, said.text.includes('Select a valid choice.')]).toEqual([422, true])
  expect((await desk.change('chat-users', person.discordUserId, { school_id: '999999' })).status).toBe(422)
  expect((await desk.change('chat-users', person.discordUserId, { role: 'emperor' })).status).toBe(422)
  await desk.change('chat-users', person.discordUserId, { school_id: '' })
  expect((await discordUserRow(person.discordUserId)).school_id).toBe(null)
})

describe('adding a chat user', () => {
  const wanted = { display_name: 'Quinn', username: 'quinn.w', role: 'regular', school_id: '' }

  test('links a Discord account to a user', async () => {
    const { school_id } = await makeSchool()
    const user = await addUser()
    const fields = { ...wanted, user_id: String(user.id), discord_id: '1177000000000000001', role: 'manager' }
    const said = await desk.add('chat-users', { ...fields, school_id: String(school_id) })
    expect([said.status, said.text.includes('Quinn was added.')]).toEqual([303, true])
    const discordUser = await one('SELECT * FROM discord_user WHERE user_id = ?', user.id)
    expect(discordUser).toMatchObject({
      discord_id: '1177000000000000001',
      username: 'quinn.w',
      display_name: 'Quinn',
      role: 'manager',
      school_id,
      is_disabled: 0,
      is_verified: 0,
      login_count: 0,
      sealed_tokens: null,
    })
    expect(await desk.entry('discord_user')).toMatchObject({
      act: 'added',
      after: { discord_id: '1177000000000000001', role: 'manager' },
    })
    const browser = await browserOf(user)
    expect((await browser.see('/')).data.context.user.discord_user).toMatchObject({ discord_id: '1177000000000000001' })
    expect((await browser.get('/classcords/unapproved-invites/')).status).toBe(200)
  })

  test('rejects a user or Discord account that is already linked, and invalid ids', async () => {
    const [linked, user] = [await addPerson(), await addUser()]
    const empty = await one<{ id: number }>(
      "INSERT INTO school (source_id, code, name) SELECT source_id, 'no-subjects', 'No Subjects' FROM school LIMIT 1 RETURNING id",
    )
    const good = { ...wanted, user_id: String(user.id), discord_id: '1177000000000000002' }
    for (const [wrong, sentence] of [
      [{ user_id: String(linked.id) }, 'Another chat user already has this user.'],
      [{ discord_id: linked.discord_id }, 'Another chat user already has this Discord ID.'],
      [{ discord_id: '12345' }, 'A Discord ID has 17 to 20 digits.'],
      [{ discord_id: '117700000000000000x' }, 'A Discord ID has 17 to 20 digits.'],
      [{ user_id: '' }, 'This field is required.'],
      [{ user_id: '999999' }, 'User: '],
      [{ username: ' ' }, 'This field is required.'],
      [{ role: 'emperor' }, 'Select a valid choice.'],
      [{ school_id: String(empty.id) }, 'Select a valid choice.'],
    ] as const) {
      const said = await desk.add('chat-users', { ...good, ...wrong })
      expect([said.status, said.text.includes(sentence)], JSON.stringify(wrong)).toEqual([422, true])
    }
    expect(await rows('SELECT 1 FROM discord_user WHERE user_id = ?', user.id)).toEqual([])
    const answer = await desk.visitor.submit('/admin/chat-users/add/', { ...good, discord_id: '12345', act: 'save' })
    const html = await answer.text()
    for (const typed of ['Quinn', 'quinn.w', '12345', user.username]) expect(html).toContain(typed)
    expect((await desk.add('chat-users', good)).status).toBe(303)
  })

  test('does not change the stored Discord profile later', async () => {
    const person = await addPerson()
    await desk.change('chat-users', person.discordUserId, {
      username: 'else',
      discord_id: '1177000000000000003',
      role: 'manager',
    })
    const discordUser = await one(
      'SELECT username, discord_id, role FROM discord_user WHERE id = ?',
      person.discordUserId,
    )
    expect(discordUser).toMatchObject({ discord_id: person.discord_id, role: 'manager' })
  })
})

test('the last login method of an account cannot be deleted; other deletes list what they include', async () => {
  const [alone, unverified, both] = [await addPerson(), await addPerson(), await addPerson()]
  await rows('UPDATE user SET password_hash = NULL WHERE id = ?', alone.id)
  await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', unverified.id)
  expect((await desk.delete('chat-users', alone.discordUserId)).text).toContain('The account has no password set up')
  expect((await desk.delete('chat-users', unverified.discordUserId)).text).toContain(
    'The account has no verified email address',
  )
  await rows(
    "INSERT INTO notice (discord_user_id, kind, title, body, created_at) VALUES (?, 'report', 'Goes along', '', 0)",
    both.discordUserId,
  )
  const said = await desk.delete('chat-users', both.discordUserId)
  expect(said.asked).toContain('Goes along')
  expect(said.text).toContain('was deleted')
  expect(await rows('SELECT id FROM user WHERE id = ?', both.id)).toHaveLength(1)
  expect(
    await rows('SELECT 1 FROM discord_user WHERE id IN (?, ?)', alone.discordUserId, unverified.discordUserId),
  ).toHaveLength(2)
})
