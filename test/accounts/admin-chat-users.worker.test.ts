import { beforeAll, expect, test } from 'vitest'
import { Desk } from '../worker/admin-desk.ts'
import { addPerson, makeSchool } from '../worker/directory.ts'
import { one, rows } from '../worker/rows.ts'
import { browserOf } from '../worker/visitor.ts'

const chatRow = (id: number) =>
  one<{ role: string; is_disabled: number; school_id: number | null }>(
    'SELECT role, is_disabled, school_id FROM discord_user WHERE id = ?',
    id,
  )

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

test('people are found by name, Discord id, role, school and state', async () => {
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
  await desk.act('chat-users', 'disable', regular.chat)
  expect(await desk.titles('chat-users/?who=disabled')).toEqual([titleOf(regular)])
})

test('a manager is made and unmade, and may review at once', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson({ school: school_id })
  const browser = await browserOf(person)
  const review = async () => (await browser.get('/classcords/unapproved-invites/')).status
  expect(await review()).toBe(403)
  expect((await desk.act('chat-users', 'make_manager', person.chat)).text).toContain('1 chat user changed.')
  expect(await review()).toBe(200)
  expect(await desk.entry('discord_user')).toMatchObject({
    act: 'changed',
    row_key: String(person.chat),
    before: { role: 'regular' },
    after: { role: 'manager' },
  })
  await desk.act('chat-users', 'make_regular', person.chat)
  expect(await review()).toBe(403)
})

test('a disabled one is as good as none, until enabled again', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson({ role: 'manager', school: school_id })
  const browser = await browserOf(person)
  const hasChat = async () => (await browser.see('/')).data.context.user.discord_user !== null
  await desk.act('chat-users', 'disable', person.chat)
  expect([await hasChat(), (await browser.get('/classcords/unapproved-invites/')).status]).toEqual([false, 403])
  await desk.act('chat-users', 'enable', person.chat)
  expect([await hasChat(), (await browser.get('/classcords/unapproved-invites/')).status]).toEqual([true, 200])
})

test('a school is found by search, only one with subjects, at any time', async () => {
  const { school_id } = await makeSchool()
  const person = await addPerson()
  const { name } = await one<{ name: string }>('SELECT name FROM school WHERE id = ?', school_id)
  const found = await desk.change('chat-users', person.chat, { 'school_id-search': name, school_id: '' })
  const several = found.status === 422
  if (several) await desk.change('chat-users', person.chat, { school_id: String(school_id) })
  expect((await chatRow(person.chat)).school_id).toBe(school_id)
  const empty = await one<{ id: number }>(
    "INSERT INTO school (source_id, code, name) SELECT source_id, 'without-subjects', 'Without Subjects' FROM school LIMIT 1 RETURNING id",
  )
  const said = await desk.change('chat-users', person.chat, { school_id: String(empty.id) })
  expect([said.status, said.text.includes('Select a valid choice.')]).toEqual([422, true])
  expect((await desk.change('chat-users', person.chat, { school_id: '999999' })).status).toBe(422)
  expect((await desk.change('chat-users', person.chat, { role: 'emperor' })).status).toBe(422)
  await desk.change('chat-users', person.chat, { school_id: '' })
  expect((await chatRow(person.chat)).school_id).toBe(null)
})

test('none is added by hand', async () => {
  expect((await desk.see('chat-users/add/')).response.status).toBe(404)
})

test('the last way in to an account is never deleted; what goes along is said', async () => {
  const [alone, unverified, both] = [await addPerson(), await addPerson(), await addPerson()]
  await rows('UPDATE user SET password_hash = NULL WHERE id = ?', alone.id)
  await rows('UPDATE email_address SET verified_at = NULL WHERE user_id = ?', unverified.id)
  expect((await desk.delete('chat-users', alone.chat)).text).toContain('The account has no password set up')
  expect((await desk.delete('chat-users', unverified.chat)).text).toContain('The account has no verified email address')
  await rows(
    "INSERT INTO notice (discord_user_id, kind, title, body, created_at) VALUES (?, 'report', 'Goes along', '', 0)",
    both.chat,
  )
  const said = await desk.delete('chat-users', both.chat)
  expect(said.asked).toContain('Goes along')
  expect(said.text).toContain('was deleted')
  expect(await rows('SELECT id FROM user WHERE id = ?', both.id)).toHaveLength(1)
  expect(await rows('SELECT 1 FROM discord_user WHERE id IN (?, ?)', alone.chat, unverified.chat)).toHaveLength(2)
})
